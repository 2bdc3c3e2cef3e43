/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.logs;

import dev.baton.protocol.trace.RunId;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a chunk's object. In the order of their keys a run's chunks are in the order of their
 * lines.
 *
 * @param hash the 32 bytes of its SHA-256
 */
public record LogChunkName(String project, String run, int epoch, long firstLine, String hash) {
  private static final Pattern KEY =
      Pattern.compile("([^/]+)/logs/([0-9a-z]{26})/([0-9]{9})-([0-9]{15})-([0-9a-f]{64})");

  /** Of a digest's 32 bytes. */
  public static LogChunkName of(
      String project, String run, int epoch, long firstLine, byte[] hash) {
    return new LogChunkName(project, run, epoch, firstLine, HexFormat.of().formatHex(hash));
  }

  /** The chunk with this key; empty where it is another object's. */
  public static Optional<LogChunkName> ofKey(String key) {
    Matcher matcher = KEY.matcher(key);
    return matcher.matches() && RunId.isValid(matcher.group(2))
        ? Optional.of(
            new LogChunkName(
                matcher.group(1),
                matcher.group(2),
                Integer.parseInt(matcher.group(3)),
                Long.parseLong(matcher.group(4)),
                matcher.group(5)))
        : Optional.empty();
  }

  /** With what the keys of all chunks of a project begin. */
  public static String projectPrefix(String project) {
    return project + "/logs/";
  }

  /** With what the keys of all chunks of a run begin. */
  public static String prefix(String project, String run) {
    return projectPrefix(project) + run + "/";
  }

  public String key() {
    return "%s%09d-%015d-%s".formatted(prefix(project, run), epoch, firstLine, hash);
  }

  byte[] digest() {
    return HexFormat.of().parseHex(hash);
  }
}
