/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos;

import dev.baton.chaos.fault.FaultKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/**
 * Options of a chaos experiment.
 *
 * @param seed of the schedule and the workload
 * @param time duration of fault injection, 10 s to 7 days
 * @param runs minimum number of runs, 1 to 100,000
 * @param faults number of planned faults, 0 to 1,000,000
 * @param out the folder of the history; created if missing
 * @param bound time after the faults within which all runs must end, 1 s to a day
 * @param atOnce number of concurrent runs, 1 to 1,000
 * @param replicas number of orchestrators, and of stores, 1 to 3
 * @param kinds the kinds of faults that are injected; empty: all
 */
public record ChaosOptions(
    long seed,
    Duration time,
    int runs,
    int faults,
    Path out,
    Duration bound,
    int atOnce,
    int replicas,
    Set<FaultKind> kinds) {
  /** Checks the bounds and copies the set. */
  public ChaosOptions {
    within("the time in seconds", time.toSeconds(), 10, 7L * 24 * 3600);
    within("--runs", runs, 1, 100_000);
    within("--faults", faults, 0, 1_000_000);
    within("--at-once", atOnce, 1, 1000);
    within("--replicas", replicas, 1, 3);
    within("the bound in seconds", bound.toSeconds(), 1, 86_400);
    out = out.toAbsolutePath().normalize();
    kinds = Set.copyOf(kinds);
  }

  private static void within(String what, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s: %d is not %d to %d".formatted(what, value, least, most));
    }
  }
}
