/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.chaos.Chaos;
import dev.baton.chaos.ChaosOptions;
import dev.baton.chaos.check.Verdict;
import dev.baton.standalone.files.Trees;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * All promises at once, under faults, with two of each service: at least 50 runs and 200 faults in
 * five minutes. {@code -Dbaton.seed=N} repeats the faults of a printed seed, {@code
 * -Dbaton.chaos.minutes=M} makes it longer, {@code -Dbaton.chaos.replicas=N} has another number.
 */
class ChaosTest {
  private static final long SEED = Long.getLong("baton.seed", System.nanoTime() & 0xffffff);
  private static final int MINUTES = Integer.getInteger("baton.chaos.minutes", 5);
  private static final int REPLICAS = Integer.getInteger("baton.chaos.replicas", 2);
  private static final int RUNS_PER_MINUTE = 10;
  private static final int FAULTS_PER_MINUTE = 40;

  /** More than are asked for: some find nothing to hit. */
  private static final int PLANNED_PER_MINUTE = 54;

  // A machine that does many other things meanwhile is slow, and must not be called wrong.
  private static final Duration BOUND = Duration.ofMinutes(10);

  @Test
  void shouldKeepEveryPromiseUnderFaults() throws Exception {
    System.out.println("-Dbaton.seed=" + SEED + ": chaos for " + MINUTES + " min");
    Path folder = Files.createTempDirectory("baton-chaos-");
    ChaosOptions options =
        new ChaosOptions(
            SEED,
            Duration.ofMinutes(MINUTES),
            MINUTES * RUNS_PER_MINUTE,
            MINUTES * PLANNED_PER_MINUTE,
            folder,
            BOUND,
            8,
            REPLICAS);

    Verdict verdict = Chaos.run(options, System.out::println);

    verdict.lines().forEach(System.out::println);
    assertThat(verdict.broken()).as("the history is in %s", folder).isEmpty();
    assertThat(verdict.runs()).isGreaterThanOrEqualTo(MINUTES * RUNS_PER_MINUTE);
    assertThat(verdict.faultCount()).isGreaterThanOrEqualTo(MINUTES * FAULTS_PER_MINUTE);
    assertThat(verdict.invariants()).allMatch(outcome -> outcome.checked() > 0);
    Trees.delete(folder);
  }
}
