/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChaosWorkloadTest {
  private static final int SEEDS = 200;

  private static List<ChaosWorkload> first(int runs, long seed) {
    return IntStream.range(0, runs)
        .mapToObj(n -> ChaosWorkload.choose(n, new Random(seed), new Random(seed + n)))
        .toList();
  }

  @Test
  void shouldHaveEachKindInAShortExperiment() {
    for (long seed = 0; seed < SEEDS; seed++) {
      assertThat(first(10, seed))
          .as("seed %d", seed)
          .contains(ChaosWorkload.values())
          .isEqualTo(first(10, seed));
    }
  }

  @Test
  void shouldVaryTheOrderWithTheSeed() {
    assertThat(IntStream.range(0, SEEDS).mapToObj(seed -> first(1, seed).getFirst()))
        .contains(ChaosWorkload.values());
  }
}
