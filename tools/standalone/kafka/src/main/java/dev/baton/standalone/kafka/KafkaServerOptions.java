/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.kafka;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Command line options of the server.
 *
 * @param port where clients connect, 1 to 65535
 * @param controllerPort where the controller listens for the broker, 1 to 65535, different from
 *     {@code port}
 * @param data the folder of the logs, created if missing
 * @param forwarded a second listener for clients that connect through a proxy
 * @param properties a file with settings of the broker that take precedence
 */
record KafkaServerOptions(
    int port,
    int controllerPort,
    Path data,
    Optional<Forwarded> forwarded,
    Optional<Path> properties) {

  /**
   * @param port where the broker listens for them
   * @param advertised the port of 127.0.0.1 that the broker advertises to them
   */
  record Forwarded(int port, int advertised) {}

  private static final String USAGE =
      "usage: KafkaServer --port PORT --controller-port PORT --data DIR";
  private static final Set<String> NAMES = Set.of("--port", "--controller-port", "--data");

  /** {@code PORT:ADVERTISED}; for tests that cut the link to the broker. */
  static final String FORWARDED = "BATON_KAFKA_FORWARDED";

  /** The path of a file; for tests with authentication and encryption. */
  static final String PROPERTIES = "BATON_KAFKA_SERVER_PROPERTIES";

  KafkaServerOptions {
    if (port == controllerPort) {
      throw new IllegalArgumentException(
          "--port and --controller-port are both " + port + ", they must differ");
    }
  }

  /**
   * @param environment of the process
   * @throws IllegalArgumentException naming the wrong argument and what is allowed
   */
  static KafkaServerOptions parse(Map<String, String> environment, String... args) {
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
    return new KafkaServerOptions(
        port(given, "--port"),
        port(given, "--controller-port"),
        Path.of(required(given, "--data")).toAbsolutePath(),
        forwarded(environment),
        Optional.ofNullable(environment.get(PROPERTIES)).map(Path::of));
  }

  private static Optional<Forwarded> forwarded(Map<String, String> environment) {
    String text = environment.get(FORWARDED);
    if (text == null) {
      return Optional.empty();
    }
    String[] ports = text.split(":", -1);
    if (ports.length != 2) {
      throw new IllegalArgumentException(FORWARDED + " " + text + " is not PORT:ADVERTISED");
    }
    Map<String, String> given = Map.of(FORWARDED, ports[0], FORWARDED + " (advertised)", ports[1]);
    return Optional.of(
        new Forwarded(port(given, FORWARDED), port(given, FORWARDED + " (advertised)")));
  }

  private static int port(Map<String, String> given, String name) {
    String value = required(given, name);
    try {
      int port = Integer.parseInt(value);
      if (port >= 1 && port <= 65_535) {
        return port;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " " + value + " is not a number", e);
    }
    throw new IllegalArgumentException(name + " " + value + " is not between 1 and 65535");
  }

  private static String required(Map<String, String> given, String name) {
    String value = given.get(name);
    if (value == null) {
      throw new IllegalArgumentException(name + " is missing; " + USAGE);
    }
    return value;
  }
}
