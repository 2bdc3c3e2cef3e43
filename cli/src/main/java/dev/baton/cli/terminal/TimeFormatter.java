/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.terminal;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats times and durations for display. */
public final class TimeFormatter {
  private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");

  private TimeFormatter() {}

  /** {@code 3 ms}, {@code 4.2 s}, {@code 2 min 5 s}, {@code 3 h 4 min}, {@code 5 d 3 h}. */
  public static String duration(Duration duration) {
    long millis = Math.max(0, duration.toMillis());
    if (millis < 1000) {
      return millis + " ms";
    }
    if (millis < 60_000) {
      return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }
    if (millis < 3_600_000) {
      return millis / 60_000 + " min " + millis / 1000 % 60 + " s";
    }
    if (millis < 86_400_000) {
      return millis / 3_600_000 + " h " + millis / 60_000 % 60 + " min";
    }
    return millis / 86_400_000 + " d " + millis / 3_600_000 % 24 + " h";
  }

  /** {@code just now}, {@code 2 minutes ago}, {@code 1 day ago}; empty for an unknown time. */
  public static String ago(@Nullable Instant then, Instant now) {
    if (then == null) {
      return "";
    }
    long seconds = Duration.between(then, now).toSeconds();
    if (seconds < 1) {
      return "just now";
    }
    if (seconds < 60) {
      return ago(seconds, "second");
    }
    if (seconds < 3600) {
      return ago(seconds / 60, "minute");
    }
    return seconds < 86_400 ? ago(seconds / 3600, "hour") : ago(seconds / 86_400, "day");
  }

  private static String ago(long count, String unit) {
    return count + " " + unit + (count == 1 ? "" : "s") + " ago";
  }

  /** {@code +0.412 s}. */
  public static String offset(Duration duration) {
    return String.format(Locale.ROOT, "+%.3f s", duration.toNanos() / 1e9);
  }

  /** Formats the local time of day; returns text that is not an instant unchanged. */
  public static String clock(@Nullable Instant instant) {
    return instant == null ? "" : CLOCK.format(instant.atZone(ZoneId.systemDefault()));
  }

  /** Returns null for an absent or unreadable time, since times are only displayed. */
  public static @Nullable Instant instant(JsonNode node) {
    if (!node.isTextual()) {
      return null;
    }
    try {
      return Instant.parse(node.textValue());
    } catch (DateTimeParseException _) {
      return null;
    }
  }

  /** Formats how long a thing took, or has taken so far; empty when it has not started. */
  public static String span(JsonNode from, JsonNode until, Instant now) {
    Instant begin = instant(from);
    Instant end = instant(until);
    return begin == null ? "" : duration(Duration.between(begin, end == null ? now : end));
  }
}
