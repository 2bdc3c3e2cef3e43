/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.liveness;

import dev.baton.benchmarks.arguments.BenchmarkArgumentParser;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * @param runs numbers of live runs, one measurement each, in this order
 * @param interval between two heartbeats of a run; the timeout is three of them
 * @param silenced number of them that fall silent
 * @param replicas 1 or 2; with 2, one is killed in an additional measurement
 * @param outage how long the only orchestrator is down once, with all runs of the first number
 *     alive; zero: never
 * @param environment additional variables for components of the embedded stack, by component
 * @param results the folder for the table and the figures; null for the default
 */
public record LivenessOptions(
    List<Integer> runs,
    Duration interval,
    int silenced,
    int replicas,
    Duration outage,
    boolean json,
    Map<String, Map<String, String>> environment,
    @Nullable Path results) {

  public LivenessOptions {
    runs = List.copyOf(runs);
    environment = Map.copyOf(environment);
  }

  private static final int LEAST = 100;
  private static final int MOST = 1_000_000;

  /**
   * @throws IllegalArgumentException naming the wrong argument and what is allowed
   */
  public static LivenessOptions parse(List<String> arguments) {
    BenchmarkArgumentParser left = new BenchmarkArgumentParser(arguments);
    List<Integer> runs = List.of(10_000, 50_000, 100_000);
    Duration interval = Duration.ofSeconds(30);
    int silenced = 1_000;
    int replicas = 2;
    Duration outage = Duration.ofMinutes(5);
    while (!left.isEmpty()) {
      String name = left.next();
      switch (name) {
        case "--runs" -> runs = counts(left.value(name));
        case "--interval" -> interval = Duration.ofSeconds(left.number(name, 1, 300));
        case "--silenced" -> silenced = (int) left.number(name, 1, MOST / 2);
        case "--replicas" -> replicas = (int) left.number(name, 1, 2);
        case "--outage" -> outage = Duration.ofSeconds(left.number(name, 0, 3_600));
        case "--env" -> left.variable(name);
        default -> left.common(name);
      }
    }
    int fewest = runs.stream().mapToInt(Integer::intValue).min().orElseThrow();
    if (silenced > fewest / 2) {
      throw new IllegalArgumentException(
          "--silenced " + silenced + " is more than half of " + fewest + " runs");
    }
    return new LivenessOptions(
        runs,
        interval,
        silenced,
        replicas,
        outage,
        left.json(),
        left.environment(),
        left.results());
  }

  private static List<Integer> counts(String text) {
    if (!text.matches("\\d{1,7}(,\\d{1,7})*")) {
      throw new IllegalArgumentException(
          "--runs " + text + " is not a list of numbers like 10000,50000");
    }
    List<Integer> counts = Arrays.stream(text.split(",", -1)).map(Integer::valueOf).toList();
    for (int count : counts) {
      if (count < LEAST || count > MOST) {
        throw new IllegalArgumentException(
            "--runs " + count + " is not a number from " + LEAST + " to " + MOST);
      }
    }
    return counts;
  }
}
