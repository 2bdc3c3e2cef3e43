/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.soak;

import dev.baton.benchmarks.arguments.BenchmarkArgumentParser;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Options of the benchmark.
 *
 * @param steps of all bursts
 * @param warmup unmeasured bursts before them
 * @param limit by how many percent a figure may grow
 * @param most time limit of the bursts; null for none
 * @param keepRuns whether ended runs are kept, which lets the database grow without a limit
 * @param environment additional variables for components of the embedded stack, by component
 * @param results the folder for the table and the figures; null for the default
 */
public record SoakOptions(
    long steps,
    int warmup,
    int limit,
    @Nullable Duration most,
    boolean keepRuns,
    boolean json,
    Map<String, Map<String, String>> environment,
    @Nullable Path results) {
  private static final long DAY = 10_000_000;
  private static final long LEAST_STEPS = 20_000;
  private static final long MOST_STEPS = 1_000_000_000;
  private static final int MOST_WARMUP = 10_000;
  private static final int MOST_LIMIT = 1_000;
  private static final int MOST_MINUTES = 100_000;

  public SoakOptions {
    environment = Map.copyOf(environment);
  }

  /**
   * @throws IllegalArgumentException naming the wrong argument and what is allowed
   */
  public static SoakOptions parse(List<String> arguments) {
    BenchmarkArgumentParser left = new BenchmarkArgumentParser(arguments);
    long steps = DAY;
    int warmup = 50;
    int limit = 25;
    Duration most = null;
    boolean keepRuns = false;
    while (!left.isEmpty()) {
      String name = left.next();
      switch (name) {
        case "--steps" -> steps = left.number(name, LEAST_STEPS, MOST_STEPS);
        case "--warmup" -> warmup = (int) left.number(name, 0, MOST_WARMUP);
        case "--limit" -> limit = (int) left.number(name, 1, MOST_LIMIT);
        case "--minutes" -> most = Duration.ofMinutes(left.number(name, 1, MOST_MINUTES));
        case "--keep-runs" -> keepRuns = true;
        case "--env" -> left.variable(name);
        default -> left.common(name);
      }
    }
    return new SoakOptions(
        steps, warmup, limit, most, keepRuns, left.json(), left.environment(), left.results());
  }
}
