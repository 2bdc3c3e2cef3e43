/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What a text that goes into a control event, and so into one Kafka message, may be. */
public final class TextLimits {
  private static final int MAX_BYTES = 64 * 1024;

  private TextLimits() {}

  /**
   * @throws ProblemException when the text has more than 64 KiB, or a NUL, which Postgres' text
   *     does not know
   */
  public static void check(String name, @Nullable String text) {
    if (text == null) {
      return;
    }
    int size = text.getBytes(StandardCharsets.UTF_8).length;
    if (size > MAX_BYTES) {
      throw new ProblemException(
          ProblemKind.TOO_LARGE,
          "'%s' has %,d bytes; allowed: %,d bytes".formatted(name, size, MAX_BYTES));
    }
    if (hasNul(text)) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER,
          "'" + name + "' contains a NUL character; allowed: text without one");
    }
  }

  public static boolean hasNul(String text) {
    return text.indexOf('\0') >= 0;
  }
}
