/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Tests that all sources of observations, in any order, end in the required state, and that no two
 * runners hold a run; prints its seed.
 */
class RunInterleavingTest {
  private static final int RUNS = Integer.getInteger("baton.interleavings", 5_000);

  @Test
  void shouldEndInTheStateThatIsWantedWhateverHappensInWhateverOrder() {
    long seed = Long.getLong("baton.seed", System.nanoTime());
    System.out.println("seed " + seed);
    for (int i = 0; i < RUNS; i++) {
      Random random = new Random(seed + i);
      SimulatedRun run = new SimulatedRun(random);
      try {
        int actions = random.nextInt(120);
        for (int action = 0; action < actions; action++) {
          run.act();
          run.checkNow();
        }
        run.settle();
      } catch (AssertionError e) {
        throw new AssertionError("seed %d (run %d): %s".formatted(seed + i, i, e.getMessage()), e);
      }
    }
  }
}
