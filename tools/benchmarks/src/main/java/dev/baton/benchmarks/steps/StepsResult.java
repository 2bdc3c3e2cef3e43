/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.steps;

import dev.baton.benchmarks.baton.BrokerFloorBenchmark.Floor;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All figures of one measurement.
 *
 * @param at when it was done
 * @param machine processors, memory and kernel in one line
 * @param floor the broker's own limits, medians over the rounds; null when a given server was
 *     measured
 * @param restate null when it was not measured
 */
public record StepsResult(
    Instant at,
    String machine,
    StepsWorkload work,
    boolean submitEach,
    @Nullable Floor floor,
    SystemResult baton,
    @Nullable SystemResult restate) {

  /** One system's figures: of each turn, and their medians. */
  public record SystemResult(StepsSummary median, List<StepsRoundResult> turns) {
    public SystemResult {
      turns = List.copyOf(turns);
    }

    public static SystemResult of(List<StepsRoundResult> turns) {
      return new SystemResult(StepsSummary.of(turns), turns);
    }
  }
}
