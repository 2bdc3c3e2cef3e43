/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.s3;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Options from the server's command line and environment.
 *
 * @param port where it listens, 1 to 65535
 * @param data the folder with the buckets, created if missing
 * @param accessKey the only valid access key
 * @param secretKey its secret; passed in the environment so that process lists do not show it
 */
record S3ServerOptions(int port, Path data, String accessKey, String secretKey) {

  private static final String USAGE =
      "usage: S3Server --port PORT --data DIR, with BATON_S3_ACCESS_KEY and BATON_S3_SECRET_KEY set";
  private static final Set<String> NAMES = Set.of("--port", "--data");

  /**
   * @throws IllegalArgumentException naming the wrong argument or variable and what is allowed
   */
  static S3ServerOptions parse(Map<String, String> environment, String... args) {
    Map<String, String> given = new HashMap<>();
    for (int i = 0; i < args.length; i += 2) {
      if (!NAMES.contains(args[i])) {
        throw new IllegalArgumentException("unknown argument " + args[i] + "; " + USAGE);
      }
      if (i + 1 == args.length) {
        throw new IllegalArgumentException(args[i] + " has no value; " + USAGE);
      }
      given.put(args[i], args[i + 1]);
    }
    return new S3ServerOptions(
        port(required(given, "--port")),
        Path.of(required(given, "--data")).toAbsolutePath(),
        required(environment, "BATON_S3_ACCESS_KEY"),
        required(environment, "BATON_S3_SECRET_KEY"));
  }

  private static int port(String value) {
    try {
      int port = Integer.parseInt(value);
      if (port >= 1 && port <= 65_535) {
        return port;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("--port " + value + " is not a number", e);
    }
    throw new IllegalArgumentException("--port " + value + " is not between 1 and 65535");
  }

  private static String required(Map<String, String> given, String name) {
    String value = given.get(name);
    if (value == null || value.isBlank()) {
      throw new IllegalArgumentException(name + " is missing; " + USAGE);
    }
    return value;
  }

  @Override
  public String toString() {
    return "Options[port=" + port + ", data=" + data + "]";
  }
}
