/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.failover;

import dev.baton.benchmarks.baton.TakeoverTimes;

/**
 * One failover, in microseconds. A phase that was not seen, or not in this order, is -1.
 *
 * @param whole until the next epoch's first step
 * @param noticed from the fault until the signal that the runner is lost was read
 * @param assigned from then until {@code runner_assigned} was read
 * @param attached from then until {@code runner_started} was read: the new runner has its
 *     assignment and has read the run's state
 * @param resumed from then until its first step was read: the files are restored
 */
record FailoverSample(long whole, long noticed, long assigned, long attached, long resumed) {
  /**
   * @param struck when the fault happened, by {@link System#nanoTime()}
   */
  static FailoverSample of(long struck, TakeoverTimes times) {
    return new FailoverSample(
        (times.step() - struck) / 1_000,
        phase(struck, times.signal()),
        phase(times.signal(), times.assignment()),
        phase(times.assignment(), times.runner()),
        phase(times.runner(), times.step()));
  }

  /**
   * A sample of what the new runner does: the phases after its assignment. The whole is -1 when the
   * assignment was not read before the runner's first event.
   */
  static FailoverSample afterAssignment(TakeoverTimes times) {
    long attached = phase(times.assignment(), times.runner());
    return new FailoverSample(
        attached < 0 ? -1 : phase(times.assignment(), times.step()),
        -1,
        -1,
        attached,
        phase(times.runner(), times.step()));
  }

  /** A sample of which only the whole is known. */
  static FailoverSample whole(long nanos) {
    return new FailoverSample(nanos / 1_000, -1, -1, -1, -1);
  }

  private static long phase(long from, long until) {
    return from == 0 || until < from ? -1 : (until - from) / 1_000;
  }
}
