/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import java.time.Duration;

/**
 * Restart policy of a process that exits.
 *
 * @param first the wait before the first attempt; doubled for each further one
 * @param longest the longest wait
 * @param attempts number of consecutive starts that fail, or end within {@code stableAfter}, before
 *     the longer pause
 * @param rest the wait before each further attempt
 * @param stableAfter uptime after which a process's earlier failures are forgotten
 */
public record RestartBackoff(
    Duration first, Duration longest, int attempts, Duration rest, Duration stableAfter) {

  /** 0.1 s to 5 s, twenty attempts (about 80 s) in a row, then one per minute. */
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
    // Twenty doublings of any wait exceed any limit; more would overflow.
    Duration wait = first.multipliedBy(1L << Math.min(20, attempt - 1));
    return wait.compareTo(longest) < 0 ? wait : longest;
  }
}
