/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.agent;

import dev.baton.benchmarks.arguments.BenchmarkArgumentParser;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options of the benchmark.
 *
 * @param turns answers of a session whose model answers at once
 * @param slowTurns answers of a session whose model takes {@code slow} for each
 * @param slow time that the slow model takes
 * @param files in the workspace
 * @param results the folder for the table and the figures; null for the default
 */
public record AgentOptions(
    int turns, int slowTurns, Duration slow, int files, boolean json, @Nullable Path results) {
  private static final int FEWEST_TURNS = 20;
  private static final int MOST_TURNS = 2_000;
  private static final int MOST_FILES = 200_000;
  private static final int MOST_MILLIS = 10_000;

  /**
   * @throws IllegalArgumentException naming the wrong argument and what is allowed
   */
  public static AgentOptions parse(List<String> arguments) {
    BenchmarkArgumentParser left = new BenchmarkArgumentParser(arguments);
    int turns = 500;
    int slowTurns = 60;
    Duration slow = Duration.ofMillis(500);
    int files = 20_000;
    while (!left.isEmpty()) {
      String name = left.next();
      switch (name) {
        case "--turns" -> turns = (int) left.number(name, FEWEST_TURNS, MOST_TURNS);
        case "--slow-turns" -> slowTurns = (int) left.number(name, FEWEST_TURNS, MOST_TURNS);
        case "--slow" -> slow = Duration.ofMillis(left.number(name, 1, MOST_MILLIS));
        case "--files" -> files = (int) left.number(name, 1, MOST_FILES);
        default -> left.common(name);
      }
    }
    return new AgentOptions(turns, slowTurns, slow, files, left.json(), left.results());
  }
}
