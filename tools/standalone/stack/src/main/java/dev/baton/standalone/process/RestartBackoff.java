/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import java.time.Duration;

/**
 * How a process that dies is started again.
 *
 * @param first the wait before the first attempt; each further one waits twice as long
 * @param longest the longest wait
 * @param attempts after how many starts in a row that fail, or end within {@code stableAfter}, it
 *     is left alone for longer
 * @param rest the wait before each further attempt
 * @param stableAfter how long a process must have lived for its earlier failures to be forgotten
 */
public record RestartBackoff(
    Duration first, Duration longest, int attempts, Duration rest, Duration stableAfter) {

  /** 0.1 s to 5 s, twenty attempts (about 80 s) in a row, from then on one a minute. */
  public static final RestartBackoff DEFAULT =
      new RestartBackoff(
          Duration.ofMillis(100),
          Duration.ofSeconds(5),
          20,
          Duration.ofMinutes(1),
          Duration.ofSeconds(30));

  Duration before(int attempt) {
    if (attempt > attempts) {
      return rest;
    }
    // Twenty doublings of any wait are beyond any bound; more would overflow.
    Duration wait = first.multipliedBy(1L << Math.min(20, attempt - 1));
    return wait.compareTo(longest) < 0 ? wait : longest;
  }
}
