/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.steps;

import dev.baton.benchmarks.baton.BatonSystem;
import dev.baton.benchmarks.baton.BenchmarkStack;
import dev.baton.benchmarks.baton.BrokerFloorBenchmark;
import dev.baton.benchmarks.baton.BrokerFloorBenchmark.Floor;
import dev.baton.benchmarks.baton.JfrRecorder;
import dev.baton.benchmarks.measure.MachineCpuSample;
import dev.baton.benchmarks.measure.MachineDescription;
import dev.baton.benchmarks.measure.MedianCalculator;
import dev.baton.benchmarks.restate.RestateSystem;
import dev.baton.benchmarks.steps.StepsResult.SystemResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Starts the systems and runs the same workload on them in turn: A B, B A, A B, … after some
 * unmeasured turns, so that changes of the machine's load affect all systems.
 *
 * @param folder for the systems' data; must exist, is not deleted
 * @param packages where npm's packages are kept between measurements
 * @param progress receives one line per event
 */
public record StepsBenchmark(
    StepsOptions options,
    StepsWorkload work,
    Path folder,
    Path packages,
    Consumer<String> progress) {
  /**
   * Blocks until all rounds are done and all started processes have stopped.
   *
   * @throws IOException when a system cannot be started or its workload fails
   */
  public StepsResult run() throws IOException, InterruptedException {
    if (options.server() != null) {
      return compare(
          BatonSystem.given(
              options.server(), Objects.requireNonNull(options.kafka()), options.submitEach()),
          null,
          null);
    }
    Path data = folder.resolve("baton");
    try (BenchmarkStack stack =
            options.compact()
                ? BenchmarkStack.startCompact(data, options.environment(), progress)
                : BenchmarkStack.start(data, options.environment(), progress);
        BrokerFloorBenchmark floor = BrokerFloorBenchmark.start(stack.kafka())) {
      return compare(BatonSystem.of(stack, options.submitEach()), floor, stack);
    }
  }

  private StepsResult compare(
      BatonSystem started, @Nullable BrokerFloorBenchmark floor, @Nullable BenchmarkStack stack)
      throws IOException, InterruptedException {
    try (BatonSystem baton = started;
        @Nullable RestateSystem restate = restate()) {
      List<StepsSystem> systems = new ArrayList<>();
      systems.add(baton);
      if (restate != null) {
        systems.add(restate);
      }
      List<Floor> floors = new ArrayList<>();
      Map<String, List<StepsRoundResult>> turns = new LinkedHashMap<>();
      rounds("warm-up", options.warmup(), systems, floor, new ArrayList<>(), new LinkedHashMap<>());
      try (JfrRecorder _ = JfrRecorder.start(options.profile(), stack)) {
        rounds("round", options.rounds(), systems, floor, floors, turns);
      }
      return new StepsResult(
          Instant.now().truncatedTo(ChronoUnit.SECONDS),
          MachineDescription.line(),
          work,
          options.submitEach(),
          floors.isEmpty() ? null : median(floors),
          SystemResult.of(Objects.requireNonNull(turns.get(baton.name()))),
          restate == null
              ? null
              : SystemResult.of(Objects.requireNonNull(turns.get(restate.name()))));
    }
  }

  private @Nullable RestateSystem restate() throws IOException, InterruptedException {
    if (!options.restate()) {
      return null;
    }
    Path data = Files.createDirectories(folder.resolve("restate"));
    return RestateSystem.start(packages, data, progress).orElse(null);
  }

  private void rounds(
      String name,
      int rounds,
      List<StepsSystem> systems,
      @Nullable BrokerFloorBenchmark floor,
      List<Floor> floors,
      Map<String, List<StepsRoundResult>> turns)
      throws IOException, InterruptedException {
    List<StepsSystem> order = new ArrayList<>(systems);
    for (int round = 1; round <= rounds; round++) {
      if (floor != null) {
        floors.add(floor.measure());
        tell(name, round, "floor", describe(floors.getLast()));
      }
      for (StepsSystem system : order) {
        StepsRoundResult turn = StepsRoundResult.take(system, work);
        turns.computeIfAbsent(system.name(), key -> new ArrayList<>()).add(turn);
        tell(name, round, system.name(), turn.describe());
        if (turn.elsewhere() != null) {
          MachineCpuSample.remark(turn.elsewhere()).ifPresent(progress);
        }
      }
      Collections.reverse(order);
    }
  }

  private void tell(String name, int round, String system, String text) {
    progress.accept(String.format(Locale.ROOT, "%s %d %-7s %s", name, round, system, text));
  }

  private static String describe(Floor floor) {
    return String.format(
        Locale.ROOT,
        "append p50 %.2f ms, p99 %.2f ms, %,.0f appends/s",
        floor.p50Ms(),
        floor.p99Ms(),
        floor.appendsPerS());
  }

  private static Floor median(List<Floor> floors) {
    return new Floor(
        MedianCalculator.of(floors, Floor::p50Ms),
        MedianCalculator.of(floors, Floor::p99Ms),
        MedianCalculator.of(floors, Floor::appendsPerS));
  }
}
