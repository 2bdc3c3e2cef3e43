/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.shells;

import dev.baton.benchmarks.arguments.BenchmarkArgumentParser;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Options of the benchmark.
 *
 * @param rounds number of measured turns of each kind, 1 to 100
 * @param warmup number of unmeasured turns before, 0 to 100
 * @param runs of a burst
 * @param steps of each of these runs
 * @param parallel how many processes xargs starts at a time
 * @param shared whether all runs are on one shared runner
 * @param retries whether each step fails once and is retried
 * @param environment additional variables for components of the embedded stack, by component
 * @param results the folder for the table and the figures; null for the default
 */
public record ShellsOptions(
    int rounds,
    int warmup,
    int runs,
    int steps,
    int parallel,
    boolean shared,
    boolean retries,
    boolean json,
    Map<String, Map<String, String>> environment,
    @Nullable Path results) {
  private static final int MOST_TURNS = 100;
  private static final int MOST_RUNS = 1_000;
  private static final int MOST_STEPS = 1_000;
  private static final int MOST_PARALLEL = 1_000;

  public ShellsOptions {
    environment = Map.copyOf(environment);
  }

  /**
   * @throws IllegalArgumentException naming the wrong argument and what is allowed
   */
  public static ShellsOptions parse(List<String> arguments) {
    BenchmarkArgumentParser left = new BenchmarkArgumentParser(arguments);
    int rounds = 3;
    int warmup = 1;
    int runs = 200;
    int steps = 10;
    int parallel = startingRunners(Runtime.getRuntime().availableProcessors());
    boolean shared = false;
    boolean retries = false;
    while (!left.isEmpty()) {
      String name = left.next();
      switch (name) {
        case "--rounds" -> rounds = (int) left.number(name, 1, MOST_TURNS);
        case "--warmup" -> warmup = (int) left.number(name, 0, MOST_TURNS);
        case "--runs" -> runs = (int) left.number(name, 1, MOST_RUNS);
        case "--steps" -> steps = (int) left.number(name, 1, MOST_STEPS);
        case "--parallel" -> parallel = (int) left.number(name, 1, MOST_PARALLEL);
        case "--shared" -> shared = true;
        case "--retries" -> retries = true;
        case "--env" -> left.variable(name);
        default -> left.common(name);
      }
    }
    return new ShellsOptions(
        rounds,
        warmup,
        runs,
        steps,
        parallel,
        shared,
        retries,
        left.json(),
        left.environment(),
        left.results());
  }

  /** The default of {@code baton.launcher.starting}: that many runners start at the same time. */
  static int startingRunners(int processors) {
    return Math.max(4, 2 * processors);
  }

  /** Number of all steps of a burst. */
  int burstSteps() {
    return runs * steps;
  }

  /** Number of the processes of these steps, and of those that xargs starts. */
  int processes() {
    return burstSteps() * (retries ? 2 : 1);
  }
}
