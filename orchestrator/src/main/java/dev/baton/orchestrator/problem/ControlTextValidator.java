/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.JsonValueChecker;
import dev.baton.protocol.trace.Output;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Validates texts of control events, each of which must fit into one Kafka message. */
public final class ControlTextValidator {
  private ControlTextValidator() {}

  /**
   * @throws ProblemException when the text has more than 64 KiB, or a NUL, which Postgres cannot
   *     store in a text
   */
  public static void check(String name, @Nullable String text) {
    if (text == null) {
      return;
    }
    check(name, text.getBytes(StandardCharsets.UTF_8).length, hasNul(text));
  }

  /**
   * Like {@link #check(String, String)}, for a JSON value: its encoded size, and all texts and
   * names in it.
   */
  public static void check(String name, JsonNode value) {
    checkKept(name, value);
    check(name, Json.bytes(value).length, hasNul(value));
  }

  /**
   * @throws ProblemException when the value would be read from the log in a different form
   */
  public static void checkKept(String name, JsonNode value) {
    String problem = JsonValueChecker.problem(value);
    if (problem != null) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER, "'" + name + "' has " + problem + ", which is not allowed");
    }
  }

  private static void check(String name, int bytes, boolean hasNul) {
    if (bytes > Output.INLINE_LIMIT) {
      throw new ProblemException(
          ProblemKind.TOO_LARGE,
          "'%s' has %,d bytes; allowed: %,d bytes".formatted(name, bytes, Output.INLINE_LIMIT));
    }
    if (hasNul) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER,
          "'" + name + "' contains a NUL character; allowed: text without one");
    }
  }

  public static boolean hasNul(String text) {
    return text.indexOf('\0') >= 0;
  }

  /** Whether any text or name in the value has a NUL. */
  public static boolean hasNul(JsonNode value) {
    if (value.isTextual()) {
      return hasNul(value.textValue());
    }
    return value.propertyStream().anyMatch(p -> hasNul(p.getKey()))
        || value.valueStream().anyMatch(ControlTextValidator::hasNul);
  }
}
