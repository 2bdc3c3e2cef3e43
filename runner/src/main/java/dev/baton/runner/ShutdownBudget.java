/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import java.time.Duration;

/**
 * Divides the time between SIGTERM and SIGKILL. The parts follow one another and leave a tenth of
 * it. With 30 s or more, and in a process without a limit, they are 27 s:
 *
 * <pre>
 *            of 30 s   of 15 s
 *   handOver     8         0     until a replacement is ready; not when the orchestrator is away
 *   steps        5         0     until steps in progress have ended
 *   stop         7       6.7     until the other steps have ended and workspaces are cut
 *   close        6       5.8     2 each: runs that have not stopped, the log, the producer
 *   channel      1         1     until the stream to the orchestrator has ended
 * </pre>
 *
 * With less, the first two become shorter, since a cut counts for more than a handover; below 15.6
 * s there is none, and all others become shorter.
 *
 * @param close of each of the three parts
 */
record ShutdownBudget(
    Duration handOver, Duration steps, Duration stop, Duration close, Duration channel) {
  private static final Duration HAND_OVER = Duration.ofSeconds(8);
  private static final Duration STEPS = Duration.ofSeconds(5);
  private static final Duration STOP = Duration.ofSeconds(7);
  private static final Duration CLOSE = Duration.ofSeconds(2);
  private static final Duration CHANNEL = Duration.ofSeconds(1);
  private static final int CLOSINGS = 3;
  private static final int TENTHS = 10;

  /**
   * @param grace between SIGTERM and SIGKILL; 1s or more
   */
  static ShutdownBudget of(Duration grace) {
    long usable = grace.toMillis() / TENTHS * (TENTHS - 1);
    long leaving = HAND_OVER.plus(STEPS).toMillis();
    long ending = STOP.plus(CLOSE.multipliedBy(CLOSINGS)).plus(CHANNEL).toMillis();
    long first = Math.clamp(usable - ending, 0, leaving);
    long last = Math.min(usable, ending);
    return new ShutdownBudget(
        part(HAND_OVER, first, leaving),
        part(STEPS, first, leaving),
        part(STOP, last, ending),
        part(CLOSE, last, ending),
        part(CHANNEL, last, ending));
  }

  private static Duration part(Duration full, long have, long need) {
    return Duration.ofMillis(full.toMillis() * have / need);
  }

  /** Returns the sum of all parts. */
  Duration total() {
    return handOver.plus(steps).plus(stop).plus(close.multipliedBy(CLOSINGS)).plus(channel);
  }
}
