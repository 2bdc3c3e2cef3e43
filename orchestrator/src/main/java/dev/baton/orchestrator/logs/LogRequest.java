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
 * Which lines of a run's log are asked for.
 *
 * @param epoch with {@code line}: the first that is wanted; 0: the log's first
 * @param step null: of all steps
 * @param visit 0: of all
 * @param attempt 0: of all
 * @param since only lines that were read then or later; null: whenever
 * @param until only lines that were read before; null: whenever
 * @param tail the last so many lines; 0: all
 * @param limit of lines in the answer; 0: none
 * @param follow whether lines to come are wanted, too
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

  /** The epoch of a place that is written {@code epoch:line}; 0 where there is none. */
  static int epoch(@Nullable String place) {
    return place == null ? 0 : Integer.parseInt(place(place).group(1));
  }

  /** Its line. */
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

  /** A time as RFC 3339 has it. */
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
