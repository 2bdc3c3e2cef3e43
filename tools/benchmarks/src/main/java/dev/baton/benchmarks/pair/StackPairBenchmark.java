/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.pair;

import dev.baton.benchmarks.baton.BatonSystem;
import dev.baton.benchmarks.baton.BenchmarkStack;
import dev.baton.benchmarks.measure.MachineDescription;
import dev.baton.benchmarks.pair.StackPairResult.Side;
import dev.baton.benchmarks.steps.StepsRoundResult;
import dev.baton.benchmarks.steps.StepsWorkload;
import dev.baton.standalone.jvm.InstallationLayout;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** Lets two stacks do the same steps by turns. */
public record StackPairBenchmark(
    StackPairOptions options, StepsWorkload work, Path folder, Consumer<String> progress) {

  /** Starts one stack in a folder. */
  private interface Start {
    BenchmarkStack in(Path folder) throws IOException, InterruptedException;
  }

  /**
   * Compares a stack without identities and TLS with one that has both. Blocks until all rounds are
   * done and all started processes have stopped.
   *
   * @throws IOException when a stack cannot be started or its workload fails
   */
  public StackPairResult ofSecurity() throws IOException, InterruptedException {
    return compare(
        "without",
        in -> BenchmarkStack.startOpen(in, progress),
        "with everything",
        in -> BenchmarkStack.startSecured(in, progress));
  }

  /** Compares another version with this one; see {@link #ofSecurity}. */
  public StackPairResult ofVersions() throws IOException, InterruptedException {
    InstallationLayout other = new InstallationLayout(Objects.requireNonNull(options.against()));
    return compare(
        "before",
        in -> BenchmarkStack.start(other, in, Map.of(), progress),
        "now",
        in -> BenchmarkStack.start(InstallationLayout.find(), in, Map.of(), progress));
  }

  private StackPairResult compare(String one, Start starts, String other, Start startsOther)
      throws IOException, InterruptedException {
    try (BenchmarkStack first = starts.in(folder.resolve("first"));
        BenchmarkStack second = startsOther.in(folder.resolve("second"));
        BatonSystem left = BatonSystem.of(first, false);
        BatonSystem right = BatonSystem.of(second, false)) {
      List<StepsRoundResult> before = new ArrayList<>();
      List<StepsRoundResult> after = new ArrayList<>();
      for (int round = 1 - options.warmup(); round <= options.rounds(); round++) {
        boolean isFirst = round % 2 != 0;
        if (isFirst) {
          turn(round, one, left, before);
        }
        turn(round, other, right, after);
        if (!isFirst) {
          turn(round, one, left, before);
        }
      }
      return new StackPairResult(
          Instant.now().truncatedTo(ChronoUnit.SECONDS),
          MachineDescription.line(),
          new Side(one, before),
          new Side(other, after));
    }
  }

  private void turn(int round, String name, BatonSystem system, List<StepsRoundResult> turns)
      throws IOException, InterruptedException {
    StepsRoundResult turn = StepsRoundResult.take(system, work);
    if (round > 0) {
      turns.add(turn);
    }
    String when = round > 0 ? "round " + round : "warm-up " + (round + options.warmup());
    progress.accept(when + ", " + name + ": " + turn.describe());
  }
}
