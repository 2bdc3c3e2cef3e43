/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import java.time.Duration;
import java.util.List;
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

  /**
   * What the kills did.
   *
   * @param killed number of kills that have hit a living runner
   * @param orphanRequests number of requests to the model between a kill of a runner alone and the
   *     end of the processes that it left
   */
  record KillResult(int killed, int orphanRequests) {}

  /** Kills the runner of a run at the chosen moments. */
  KillResult kill(String run) throws InterruptedException {
    int killed = 0;
    int orphanRequests = 0;
    for (int kill = 1; kill <= kills; kill++) {
      int least = wanted.applyAsInt(kill);
      Await.until(
          "the model has " + least + " requests", WITHIN, () -> requests.getAsInt() >= least);
      TimeUnit.MILLISECONDS.sleep(random.nextLong(MOST_DELAY_MILLIS));
      Await.until("the run has a runner", WITHIN, () -> RunnerProcessHandle.of(run).isPresent());
      Optional<RunnerProcessHandle> runner = RunnerProcessHandle.of(run);
      boolean whole = random.nextInt(3) > 0;
      List<ProcessHandle> left =
          runner.map(handle -> handle.process().descendants().toList()).orElse(List.of());
      int before = requests.getAsInt();
      if (runner.isPresent() && runner.get().kill(whole)) {
        killed++;
        if (!whole) {
          Await.until(
              "the processes of the dead runner are gone",
              WITHIN,
              () -> left.stream().noneMatch(ProcessHandle::isAlive));
          orphanRequests += requests.getAsInt() - before;
        }
      }
    }
    return new KillResult(killed, orphanRequests);
  }
}
