/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.expression.ExpressionScope;
import dev.baton.protocol.expression.Template;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;

/**
 * The duration or end of a wait. Every runner that resumes the wait computes {@link #end} again;
 * since it counts from the start of the visit and expressions are pure, the end does not change.
 */
public sealed interface WaitTime {
  record For(Template duration) implements WaitTime {}

  record Until(Template instant) implements WaitTime {}

  /**
   * Returns when the wait ends.
   *
   * @param started when the step started
   * @throws IllegalArgumentException when the text is not a duration or a time; the message names
   *     it
   * @throws dev.baton.protocol.expression.ExpressionException when a template fails
   */
  default Instant end(ExpressionScope scope, Instant started) {
    return switch (this) {
      case For(Template duration) -> started.plus(duration(duration.render(scope)));
      case Until(Template instant) -> {
        Instant end = instant(instant.evaluate(scope));
        if (end.isAfter(started.plus(DurationParser.MAX))) {
          throw new IllegalArgumentException("'" + end + "' is more than ten years away");
        }
        yield end;
      }
    };
  }

  private static Duration duration(String text) {
    return DurationParser.parse(text)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "'" + text + "' is not a duration; allowed: " + DurationParser.ALLOWED));
  }

  /** Parses RFC 3339 text, or whole seconds since the epoch as a number or as text. */
  static Instant instant(JsonNode value) {
    try {
      if (value.isNumber() && value.canConvertToExactIntegral() && value.canConvertToLong()) {
        return Instant.ofEpochSecond(value.longValue());
      }
      String text = value.asText();
      // A plain number in a definition arrives as text, since templates are text.
      return text.matches("-?[0-9]{1,18}")
          ? Instant.ofEpochSecond(Long.parseLong(text))
          : OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "'"
              + value.asText()
              + "' is not a time; allowed: such as 2026-05-01T12:00:00Z, or seconds since the epoch",
          e);
    }
  }
}
