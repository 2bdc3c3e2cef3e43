/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.security;

import dev.baton.benchmarks.baton.BatonSystem;
import dev.baton.benchmarks.baton.BenchmarkStack;
import dev.baton.benchmarks.measure.MachineDescription;
import dev.baton.benchmarks.steps.StepsResult.SystemResult;
import dev.baton.benchmarks.steps.StepsRoundResult;
import dev.baton.benchmarks.steps.StepsWorkload;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Measures the cost of security: the same steps on two stacks, by turns. One requires no identities
 * and has no TLS; the other requires identities of all callers, leases of all events, and TLS.
 * Events of managed runs carry leases and signatures in both; the Kafka of both listens without
 * TLS.
 */
public record SecurityBenchmark(
    SecurityOptions options, StepsWorkload work, Path folder, Consumer<String> progress) {

  /**
   * Blocks until all rounds are done and all started processes have stopped.
   *
   * @throws IOException when a stack cannot be started or its workload fails
   */
  public SecurityResult run() throws IOException, InterruptedException {
    try (BenchmarkStack open = BenchmarkStack.startOpen(folder.resolve("without"), progress);
        BenchmarkStack secured = BenchmarkStack.startSecured(folder.resolve("with"), progress);
        BatonSystem without = BatonSystem.of(open, false);
        BatonSystem with = BatonSystem.of(secured, false)) {
      List<StepsRoundResult> before = new ArrayList<>();
      List<StepsRoundResult> after = new ArrayList<>();
      for (int round = 1 - options.warmup(); round <= options.rounds(); round++) {
        // A B, B A: a slower minute of the machine hits both.
        boolean first = round % 2 != 0;
        if (first) {
          turn(round, "without", without, before);
        }
        turn(round, "with", with, after);
        if (!first) {
          turn(round, "without", without, before);
        }
      }
      return new SecurityResult(
          Instant.now().truncatedTo(ChronoUnit.SECONDS),
          MachineDescription.line(),
          SystemResult.of(before),
          SystemResult.of(after));
    }
  }

  private void turn(int round, String name, BatonSystem system, List<StepsRoundResult> turns)
      throws IOException, InterruptedException {
    StepsRoundResult turn = StepsRoundResult.take(system, work);
    if (round > 0) {
      turns.add(turn);
    }
    progress.accept(
        String.format(
            Locale.ROOT,
            "%s %-7s step p50 %.2f ms, p99 %.2f ms, %,.0f steps/s",
            round > 0 ? "round " + round : "warm-up " + (round + options.warmup()),
            name,
            turn.p50Ms(),
            turn.p99Ms(),
            turn.stepsPerS()));
  }
}
