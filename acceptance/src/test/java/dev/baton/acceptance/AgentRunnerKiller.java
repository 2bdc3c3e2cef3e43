/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;

/**
 * Kills the runner of a run several times while its agent works, at random moments after given
 * numbers of requests to its model.
 *
 * @param wanted number of requests before the n-th kill, from 1 on
 * @param requests number of requests so far
 */
record AgentRunnerKiller(Random random, int kills, IntUnaryOperator wanted, IntSupplier requests) {
  private static final Duration WITHIN = Duration.ofSeconds(300);
  private static final int MOST_DELAY_MILLIS = 500;

  /** Returns how many of the kills have hit a living runner. */
  int kill(String run) throws InterruptedException {
    int killed = 0;
    for (int kill = 1; kill <= kills; kill++) {
      int least = wanted.applyAsInt(kill);
      Await.until(
          "the model has " + least + " requests", WITHIN, () -> requests.getAsInt() >= least);
      TimeUnit.MILLISECONDS.sleep(random.nextLong(MOST_DELAY_MILLIS));
      Await.until("the run has a runner", WITHIN, () -> RunnerProcessHandle.of(run).isPresent());
      Optional<RunnerProcessHandle> runner = RunnerProcessHandle.of(run);
      if (runner.isPresent() && runner.get().kill(random.nextInt(3) > 0)) {
        killed++;
      }
    }
    return killed;
  }
}
