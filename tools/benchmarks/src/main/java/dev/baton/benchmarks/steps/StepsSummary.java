/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.steps;

import dev.baton.benchmarks.measure.MedianCalculator;
import java.util.List;

/**
 * Medians over the rounds of one system.
 *
 * @param p50Ms from the end of a step to the end of the next
 * @param p99Ms the same
 * @param stepsPerS of many runs at once
 * @param runP50Ms of many runs at once, from the submit until the client has seen the end
 * @param runP99Ms the same
 * @param rssMb resident memory of all processes after the work
 */
public record StepsSummary(
    double p50Ms, double p99Ms, double stepsPerS, double runP50Ms, double runP99Ms, double rssMb) {

  static StepsSummary of(List<StepsRoundResult> turns) {
    return new StepsSummary(
        MedianCalculator.of(turns, StepsRoundResult::p50Ms),
        MedianCalculator.of(turns, StepsRoundResult::p99Ms),
        MedianCalculator.of(turns, StepsRoundResult::stepsPerS),
        MedianCalculator.of(turns, StepsRoundResult::runP50Ms),
        MedianCalculator.of(turns, StepsRoundResult::runP99Ms),
        MedianCalculator.of(turns, StepsRoundResult::rssMb));
  }
}
