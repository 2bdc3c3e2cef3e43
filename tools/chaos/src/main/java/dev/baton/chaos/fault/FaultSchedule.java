/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Schedules faults as a pure function of the seed, the time and their number. Their targets are
 * chosen when they are injected.
 */
public final class FaultSchedule {
  private FaultSchedule() {}

  /**
   * @param number of faults, at least 0
   */
  public static List<PlannedFault> of(long seed, Duration time, int number) {
    return of(seed, time, number, Set.of());
  }

  /**
   * @param number of faults, at least 0
   * @param only the kinds to choose from; empty: all
   */
  public static List<PlannedFault> of(long seed, Duration time, int number, Set<FaultKind> only) {
    Random random = new Random(seed);
    List<FaultKind> kinds =
        Stream.of(FaultKind.values())
            .filter(kind -> only.isEmpty() || only.contains(kind))
            .toList();
    int weights = kinds.stream().mapToInt(FaultKind::weight).sum();
    List<PlannedFault> faults = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      long at = (long) (random.nextDouble() * time.toMillis());
      FaultKind kind = kind(kinds, random.nextInt(weights));
      int spread = kind.longestMs() - kind.shortestMs();
      int duration = kind.shortestMs() + (int) (spread * random.nextDouble());
      faults.add(new PlannedFault(0, at, kind, random.nextInt(1 << 20), duration));
    }
    faults.sort(Comparator.comparingLong(PlannedFault::atMs));
    List<PlannedFault> numbered = new ArrayList<>();
    for (PlannedFault fault : faults) {
      numbered.add(
          new PlannedFault(
              numbered.size() + 1, fault.atMs(), fault.kind(), fault.choice(), fault.durationMs()));
    }
    return numbered;
  }

  private static FaultKind kind(List<FaultKind> kinds, int weight) {
    int left = weight;
    for (FaultKind kind : kinds) {
      left -= kind.weight();
      if (left < 0) {
        return kind;
      }
    }
    throw new IllegalArgumentException(weight + " is not below the weights of " + kinds);
  }
}
