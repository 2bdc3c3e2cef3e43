/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.steps;

/**
 * The workload of a turn; the same for every system.
 *
 * @param kind what each step does
 * @param sequentialRuns number of sequential runs
 * @param sequentialSteps steps of each
 * @param bursts number of sequential bursts
 * @param burstRuns runs of each burst
 * @param burstSteps steps of each of these runs
 */
public record StepsWorkload(
    MeasuredStepKind kind,
    int sequentialRuns,
    int sequentialSteps,
    int bursts,
    int burstRuns,
    int burstSteps) {
  public static final StepsWorkload STANDARD = standard(MeasuredStepKind.TRANSFORM);

  /** The number of runs and steps of every measurement, with steps of this kind. */
  public static StepsWorkload standard(MeasuredStepKind kind) {
    return new StepsWorkload(kind, 5, 200, 5, 200, 10);
  }

  /** Number of all steps of a turn. */
  public long steps() {
    return (long) sequentialRuns * sequentialSteps + (long) bursts * burstRuns * burstSteps;
  }
}
