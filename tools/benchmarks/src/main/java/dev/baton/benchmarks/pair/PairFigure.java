/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.pair;

import dev.baton.benchmarks.steps.StepsRoundResult;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** A figure by which two stacks are compared. */
public enum PairFigure {
  P50("step p50", "ms", 2, true, StepsRoundResult::p50Ms),
  P99("step p99", "ms", 2, false, StepsRoundResult::p99Ms),
  STEPS("steps/s in a burst", "", 0, true, StepsRoundResult::stepsPerS),
  RUN_P50("run p50 in a burst", "ms", 0, false, StepsRoundResult::runP50Ms),
  ONE_RUN_CPU(
      "processor time per step, one run", "µs", 0, true, StepsRoundResult::sequentialCpuSum),
  BURST_CPU("processor time per step, burst", "µs", 0, true, StepsRoundResult::burstCpuSum),
  ONE_RUN_FLUSHES("flushes per step, one run", "", 2, false, t -> orZero(t.sequentialFlushes())),
  BURST_FLUSHES("flushes per step, burst", "", 2, false, turn -> orZero(turn.burstFlushes())),
  MEMORY("memory", "MB", 0, true, StepsRoundResult::rssMb);

  private final String label;
  private final String unit;
  private final int digits;
  private final boolean limited;
  private final ToDoubleFunction<StepsRoundResult> value;

  PairFigure(
      String label,
      String unit,
      int digits,
      boolean limited,
      ToDoubleFunction<StepsRoundResult> value) {
    this.label = label;
    this.unit = unit;
    this.digits = digits;
    this.limited = limited;
    this.value = value;
  }

  private static double orZero(@Nullable Double value) {
    return value == null ? 0 : value;
  }

  /** Returns its name in tables and messages. */
  public String label() {
    return label;
  }

  /** Whether a change must not make it worse: the others scatter too much in a few rounds. */
  boolean isLimited() {
    return limited;
  }

  double of(StepsRoundResult turn) {
    return value.applyAsDouble(turn);
  }

  /** Returns how many times as much the second costs; above 1 it is worse than the first. */
  double cost(double first, double second) {
    return this == STEPS ? first / second : second / first;
  }

  String show(double figure) {
    return (String.format(Locale.ROOT, "%,." + digits + "f ", figure) + unit).strip();
  }
}
