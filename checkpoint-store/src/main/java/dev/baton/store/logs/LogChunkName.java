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
 * The name of a log chunk's object. The order of the keys is the order of the lines within a run.
 *
 * @param hash the 32 bytes of its SHA-256
 */
public record LogChunkName(String project, String run, int epoch, long firstLine, String hash) {
  private static final Pattern KEY =
      Pattern.compile("([^/]+)/logs/([0-9a-z]{26})/([0-9]{9})-([0-9]{15})-([0-9a-f]{64})");

  /** Creates a name from the 32 bytes of a digest. */
  public static LogChunkName of(
      String project, String run, int epoch, long firstLine, byte[] hash) {
    return new LogChunkName(project, run, epoch, firstLine, HexFormat.of().formatHex(hash));
  }

  /** Parses a chunk's key; empty for the key of another kind of object. */
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

  /** The key prefix of all log chunks of a project. */
  public static String projectPrefix(String project) {
    return project + "/logs/";
  }

  /** The key prefix of all log chunks of a run. */
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
