/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.logs;

import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Selects lines of a run's log.
 *
 * @param epoch with {@code line}: the first line to return; 0: the first line of the log
 * @param step null: all steps
 * @param visit 0: all visits
 * @param attempt 0: all attempts
 * @param since only lines that were read at or after this time; null: no limit
 * @param until only lines that were read before this time; null: no limit
 * @param tail only the last lines; 0: all
 * @param limit maximum number of lines; 0: no limit
 * @param follow whether to wait for further lines
 */
record LogRequest(
    int epoch,
    long line,
    @Nullable String step,
    int visit,
    int attempt,
    @Nullable Instant since,
    @Nullable Instant until,
    long tail,
    long limit,
    boolean follow) {
  private static final Pattern PLACE = Pattern.compile("([0-9]{1,9}):([0-9]{1,15})");

  LogRequest {
    if (visit < 0 || attempt < 0 || tail < 0 || limit < 0) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER,
          "visit=%d, attempt=%d, tail=%d, limit=%d; allowed: 0 or more"
              .formatted(visit, attempt, tail, limit));
    }
    if (tail > 0 && (until != null || epoch > 0)) {
      throw new ProblemException(ProblemKind.BAD_PARAMETER, "'tail' excludes 'until' and 'from'");
    }
  }

  /** The epoch of a position {@code epoch:line}; 0 without a position. */
  static int epoch(@Nullable String place) {
    return place == null ? 0 : Integer.parseInt(place(place).group(1));
  }

  /** The line of a position {@code epoch:line}; 0 without a position. */
  static long line(@Nullable String place) {
    return place == null ? 0 : Long.parseLong(place(place).group(2));
  }

  private static Matcher place(String text) {
    Matcher matcher = PLACE.matcher(text);
    if (!matcher.matches()) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER,
          "'from' is '" + text + "'; allowed: <epoch>:<line>, as 1:2000");
    }
    return matcher;
  }

  /** Parses an RFC 3339 time. */
  static @Nullable Instant time(String name, @Nullable String text) {
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeException e) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER,
          "'" + name + "' is '" + text + "'; allowed: a time as 2026-01-31T10:00:00Z");
    }
  }

  boolean wants(LogLineView of) {
    Instant time = of.time();
    return (step == null || step.equals(of.step()))
        && (visit == 0 || visit == of.visit())
        && (attempt == 0 || attempt == of.attempt())
        && (time == null
            || ((since == null || !time.isBefore(since))
                && (until == null || time.isBefore(until))));
  }

  static long micros(@Nullable Instant time) {
    return time == null
        ? 0
        : Math.max(0, time.getEpochSecond() * 1_000_000 + time.getNano() / 1_000);
  }
}
