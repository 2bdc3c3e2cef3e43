/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses durations: {@code 200ms 5s 1h30m 7d}, or ISO-8601. */
public final class DurationParser {
  /** Ten years. */
  public static final Duration MAX = Duration.ofDays(3_653);

  public static final String ALLOWED = "such as 200ms, 5s, 5m, 1h30m, 7d or PT5S, at most 3653d";

  private static final Pattern SHORT =
      Pattern.compile(
          "(?:(\\d{1,9})d)?(?:(\\d{1,9})h)?(?:(\\d{1,9})m)?(?:(\\d{1,9})s)?(?:(\\d{1,12})ms)?");

  private DurationParser() {}

  /** Returns empty for text that is not a duration, is negative, or is above {@link #MAX}. */
  public static Optional<Duration> parse(String text) {
    if (text.isEmpty() || text.length() > 40) {
      return Optional.empty();
    }
    return parseAny(text)
        .filter(duration -> !duration.isNegative() && duration.compareTo(MAX) <= 0);
  }

  private static Optional<Duration> parseAny(String text) {
    Matcher matcher = SHORT.matcher(text);
    if (matcher.matches()) {
      return Optional.of(
          Duration.ofDays(part(matcher, 1))
              .plusHours(part(matcher, 2))
              .plusMinutes(part(matcher, 3))
              .plusSeconds(part(matcher, 4))
              .plusMillis(part(matcher, 5)));
    }
    if (!text.toUpperCase(Locale.ROOT).startsWith("P")) {
      return Optional.empty();
    }
    try {
      return Optional.of(Duration.parse(text));
    } catch (DateTimeParseException notIso) {
      return Optional.empty();
    }
  }

  private static long part(Matcher matcher, int group) {
    String digits = matcher.group(group);
    return digits == null ? 0 : Long.parseLong(digits);
  }
}
