/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.history;

import java.util.Optional;

/**
 * One line of the effects ledger, a file outside the system to which steps append their effects:
 * the order of the lines is the order of the effects.
 *
 * <p>{@code <run>/<step>/<visit> <attempt> <epoch> <kind> <pid> <nanoseconds of the wall clock>}
 *
 * @param line from 1
 * @param step the step's path
 * @param visit number of the visit
 * @param attempt within the visit; 0 when unknown
 * @param epoch of the runner; 0 when unknown, as for HTTP requests
 * @param kind {@code begin}, {@code tick} or {@code end}
 * @param pid of the process; 0 when there is none
 * @param wallNanos informational only: the file's order counts
 */
public record LedgerEffect(
    int line,
    String run,
    String step,
    int visit,
    int attempt,
    int epoch,
    String kind,
    long pid,
    long wallNanos) {

  private static final String LINE =
      "[0-9a-z]+/[^ ]+/[0-9]+ [0-9]+ [0-9]+ (begin|tick|end) [0-9]+ [0-9]+";

  /** Parses a line; empty when it is invalid: a killed process may have written half of one. */
  public static Optional<LedgerEffect> parse(int number, String line) {
    if (!line.matches(LINE)) {
      return Optional.empty();
    }
    String[] words = line.split(" ", -1);
    String key = words[0];
    int first = key.indexOf('/');
    int last = key.lastIndexOf('/');
    if (first == last) {
      return Optional.empty();
    }
    return Optional.of(
        new LedgerEffect(
            number,
            key.substring(0, first),
            key.substring(first + 1, last),
            Integer.parseInt(key.substring(last + 1)),
            Integer.parseInt(words[1]),
            Integer.parseInt(words[2]),
            words[3],
            Long.parseLong(words[4]),
            Long.parseLong(words[5])));
  }

  /** Formats the line. */
  public String text() {
    return "%s/%s/%d %d %d %s %d %d"
        .formatted(run, step, visit, attempt, epoch, kind, pid, wallNanos);
  }
}
