/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.snapshot;

import dev.baton.benchmarks.arguments.BenchmarkArgumentParser;
import dev.baton.benchmarks.tree.TreeShape;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Command line options of the benchmark.
 *
 * @param rounds number of turns of each tool, 1 to 100
 * @param json whether standard output gets JSON, a table otherwise
 * @param given the directory to measure; null for a generated tree
 * @param shape of the generated tree
 * @param tools to measure if they are present
 * @param environment additional variables for components of the embedded stack, by component
 * @param work the folder for copies of the tree and the tools' stores; null for the system's
 *     temporary folder
 * @param profile the folder for a flight recording of each of Baton's Java processes; null for none
 * @param results the folder for the table, the figures and the plot; null for the default
 */
public record SnapshotOptions(
    int rounds,
    boolean json,
    @Nullable Path given,
    TreeShape shape,
    List<String> tools,
    Map<String, Map<String, String>> environment,
    @Nullable Path work,
    @Nullable Path profile,
    @Nullable Path results) {

  /** All tools, in the order of reports. */
  public static final List<String> TOOLS = List.of("baton", "tar", "restic", "borg");

  public SnapshotOptions {
    tools = List.copyOf(tools);
    environment = Map.copyOf(environment);
  }

  /**
   * @throws IllegalArgumentException naming the wrong argument and what is allowed
   */
  public static SnapshotOptions parse(List<String> arguments) {
    BenchmarkArgumentParser left = new BenchmarkArgumentParser(arguments);
    int rounds = 5;
    Path given = null;
    int files = 85_000;
    long seed = 1;
    List<String> tools = TOOLS;
    Path work = null;
    Path profile = null;
    while (!left.isEmpty()) {
      String name = left.next();
      switch (name) {
        case "--rounds" -> rounds = (int) left.number(name, 1, 100);
        case "--tree" -> given = Path.of(left.value(name));
        case "--files" -> files = (int) left.number(name, 100, 2_000_000);
        case "--seed" -> seed = left.number(name, 0, 999_999_999);
        case "--tools" -> tools = tools(left.value(name));
        case "--env" -> left.variable(name);
        case "--work" -> work = Path.of(left.value(name));
        case "--profile" -> profile = Path.of(left.value(name));
        default -> left.common(name);
      }
    }
    return new SnapshotOptions(
        rounds,
        left.json(),
        given,
        new TreeShape(seed, files),
        tools,
        left.environment(),
        work,
        profile,
        left.results());
  }

  private static List<String> tools(String value) {
    List<String> named = List.of(value.split(",", -1));
    if (!TOOLS.containsAll(named)) {
      throw new IllegalArgumentException(
          "--tools " + value + " is not a subset of " + String.join(", ", TOOLS));
    }
    return TOOLS.stream().filter(named::contains).toList();
  }
}
