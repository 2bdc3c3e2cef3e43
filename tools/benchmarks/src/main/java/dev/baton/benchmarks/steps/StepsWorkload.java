/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.steps;

/**
 * What a turn consists of; the same for every system.
 *
 * @param sequentialRuns how many runs, one after the other
 * @param sequentialSteps the steps of each
 * @param bursts how many bursts, one after the other
 * @param burstRuns the runs of each
 * @param burstSteps the steps of each of those
 */
public record StepsWorkload(
    int sequentialRuns, int sequentialSteps, int bursts, int burstRuns, int burstSteps) {
  public static final StepsWorkload STANDARD = new StepsWorkload(5, 200, 5, 200, 10);

  /** All steps of a turn. */
  public long steps() {
    return (long) sequentialRuns * sequentialSteps + (long) bursts * burstRuns * burstSteps;
  }
}
