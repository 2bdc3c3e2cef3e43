/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.snapshot;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One tool's figures of one round.
 *
 * @param costs of every phase
 * @param firstBytes stored after the first capture
 * @param storedBytes stored after all captures
 * @param elsewhere the largest share of the machine's CPU time used by others during a capture,
 *     from 0 to 1; null when unknown
 */
public record SnapshotRoundResult(
    Map<SnapshotPhase, PhaseCost> costs,
    long firstBytes,
    long storedBytes,
    @Nullable Double elsewhere) {

  public SnapshotRoundResult {
    costs = Collections.unmodifiableMap(new EnumMap<>(costs));
  }

  public double wallS(SnapshotPhase phase) {
    PhaseCost cost = costs.get(phase);
    if (cost == null) {
      throw new IllegalStateException(phase + " was not measured");
    }
    return cost.wallS();
  }

  /** CPU time of all phases together. */
  public double cpuS() {
    return costs.values().stream().mapToDouble(PhaseCost::cpuS).sum();
  }

  public double serverCpuS() {
    return costs.values().stream().mapToDouble(PhaseCost::serverCpuS).sum();
  }

  /** The maximum over all phases. */
  public long peakRssBytes() {
    return costs.values().stream().mapToLong(PhaseCost::peakRssBytes).max().orElse(0);
  }
}
