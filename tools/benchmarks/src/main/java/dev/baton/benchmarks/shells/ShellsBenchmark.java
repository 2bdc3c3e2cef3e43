/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.shells;

import dev.baton.benchmarks.baton.BatonSystem;
import dev.baton.benchmarks.baton.BenchmarkStack;
import dev.baton.benchmarks.measure.BurstResult;
import dev.baton.benchmarks.measure.MachineCpuSample;
import dev.baton.benchmarks.measure.MachineDescription;
import dev.baton.benchmarks.measure.ResourceUsage;
import dev.baton.benchmarks.measure.TimedCommand;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Executes a burst of shell steps, and starts the same number of the same processes by xargs, in
 * turns: A B C, C B A, A B C, …
 *
 * @param folder for the stack's data; must exist, is not deleted
 * @param progress receives one line per event
 */
public record ShellsBenchmark(ShellsOptions options, Path folder, Consumer<String> progress) {
  /** Runners end on their own some moments after their runs. */
  private static final Duration RUNNERS_END = Duration.ofMinutes(2);

  private static final double MICROS = 1e6;

  /** Baton's figures of one turn. */
  private record Turn(double wallS, Map<String, Double> cpuByPart, OptionalDouble elsewhere) {}

  /**
   * Blocks until all rounds are done and all started processes have stopped.
   *
   * @throws IOException when the stack cannot be started, or a run or a command fails
   */
  public ShellsResult run() throws IOException, InterruptedException {
    if (!StandaloneStack.makeAotCaches(folder.resolve("caches"), progress)) {
      throw new IOException("the AOT caches could not be created");
    }
    Path commands = Files.createDirectories(folder.resolve("commands"));
    List<ShellsRoundResult> rounds = new ArrayList<>();
    try (BenchmarkStack stack =
            BenchmarkStack.start(folder.resolve("baton"), environment(), progress);
        BatonSystem baton = BatonSystem.of(stack, false)) {
      for (int round = 1 - options.warmup(); round <= options.rounds(); round++) {
        ShellsRoundResult result = round(round % 2 != 0, stack, baton, commands);
        String when = round > 0 ? "round " + round : "warm-up " + (round + options.warmup());
        progress.accept(when + ": " + result.describe(options.burstSteps()));
        if (round > 0) {
          rounds.add(result);
        }
      }
    }
    return new ShellsResult(
        Instant.now().truncatedTo(ChronoUnit.SECONDS),
        MachineDescription.line(),
        options.runs(),
        options.steps(),
        options.parallel(),
        options.shared(),
        options.retries(),
        ShellCommandLine.asRunner(commands),
        rounds);
  }

  /** All runners are those of the measured runs: one, or one of each run. None waits for a run. */
  private Map<String, Map<String, String>> environment() {
    Map<String, Map<String, String>> all = new HashMap<>(options.environment());
    String orchestrator = StackComponent.ORCHESTRATOR.label();
    Map<String, String> variables = new HashMap<>(all.getOrDefault(orchestrator, Map.of()));
    variables.putIfAbsent("BATON_LAUNCHER_POOL_SIZE", options.shared() ? "1" : "0");
    variables.putIfAbsent("BATON_LAUNCHER_WARM_SIZE", "0");
    all.put(orchestrator, variables);
    return all;
  }

  private ShellsRoundResult round(
      boolean batonFirst, BenchmarkStack stack, BatonSystem baton, Path commands)
      throws IOException, InterruptedException {
    Turn turn;
    ResourceUsage asRunner;
    ResourceUsage plain;
    if (batonFirst) {
      turn = baton(stack, baton);
      asRunner = xargs(ShellCommandLine.asRunner(commands), commands);
      plain = xargs(ShellCommandLine.plain(), commands);
    } else {
      plain = xargs(ShellCommandLine.plain(), commands);
      asRunner = xargs(ShellCommandLine.asRunner(commands), commands);
      turn = baton(stack, baton);
    }
    return new ShellsRoundResult(
        turn.wallS(),
        turn.cpuByPart(),
        asRunner,
        plain,
        turn.elsewhere().isPresent() ? turn.elsewhere().getAsDouble() : null);
  }

  private Turn baton(BenchmarkStack stack, BatonSystem baton)
      throws IOException, InterruptedException {
    MachineCpuSample started = MachineCpuSample.now();
    Map<String, Long> before = stack.cpuMicrosWithEnded();
    BurstResult burst =
        baton.burst(
            ShellWorkflowFactory.yaml(options.steps(), options.shared(), options.retries()),
            options.runs(),
            options.steps());
    if (!options.shared()) {
      stack.awaitNoRunner(RUNNERS_END);
    }
    Map<String, Long> after = stack.cpuMicrosWithEnded();
    Map<String, Double> seconds = new TreeMap<>();
    long all = 0;
    for (Map.Entry<String, Long> part : after.entrySet()) {
      long micros = part.getValue() - before.getOrDefault(part.getKey(), 0L);
      seconds.put(part.getKey(), micros / MICROS);
      all += micros;
    }
    return new Turn(
        options.burstSteps() / burst.stepsPerSecond(),
        seconds,
        MachineCpuSample.now().elsewhere(started, all));
  }

  private ResourceUsage xargs(List<String> words, Path commands)
      throws IOException, InterruptedException {
    return new TimedCommand(
            ShellCommandLine.xargs(words, options.processes(), options.parallel()),
            Map.of(),
            commands,
            folder.resolve("xargs.log"))
        .run();
  }
}
