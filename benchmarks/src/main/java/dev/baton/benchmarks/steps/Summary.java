/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.steps;

import dev.baton.benchmarks.measure.Median;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Medians over the rounds of one system.
 *
 * @param p50Ms from the end of a step to the end of the next
 * @param p99Ms the same
 * @param stepsPerS of many runs at once
 * @param runP50Ms of many runs at once, from the submit until the client knows the end
 * @param runP99Ms the same
 * @param rssMb resident memory of all processes after the work
 */
public record Summary(
    double p50Ms, double p99Ms, double stepsPerS, double runP50Ms, double runP99Ms, double rssMb) {

  static Summary of(List<Turn> turns) {
    return new Summary(
        median(turns, Turn::p50Ms),
        median(turns, Turn::p99Ms),
        median(turns, Turn::stepsPerS),
        median(turns, Turn::runP50Ms),
        median(turns, Turn::runP99Ms),
        median(turns, Turn::rssMb));
  }

  private static double median(List<Turn> turns, ToDoubleFunction<Turn> figure) {
    return Median.of(turns.stream().map(figure::applyAsDouble).toList());
  }
}
