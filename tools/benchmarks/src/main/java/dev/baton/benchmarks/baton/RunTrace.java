/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import dev.baton.benchmarks.measure.DurationDistribution;
import java.util.List;

/**
 * Data from the trace of a run that has ended.
 *
 * @param stepEndMicros when each step was completed, in the trace's order, by the runner's clock
 * @param end the type of the last event, without its prefix
 * @param endSeenNanos when this process read the last event, by {@link System#nanoTime()}
 * @param records number of the run's records in the trace
 * @param takeovers number of times that another runner was assigned
 */
record RunTrace(
    List<Long> stepEndMicros, String end, long endSeenNanos, int records, int takeovers) {
  RunTrace {
    stepEndMicros = List.copyOf(stepEndMicros);
  }

  /** Times from the end of each step to the end of the next. */
  DurationDistribution stepTimes() {
    long[] times = new long[stepEndMicros.size() - 1];
    for (int i = 0; i < times.length; i++) {
      times[i] = stepEndMicros.get(i + 1) - stepEndMicros.get(i);
    }
    return DurationDistribution.of(times);
  }
}
