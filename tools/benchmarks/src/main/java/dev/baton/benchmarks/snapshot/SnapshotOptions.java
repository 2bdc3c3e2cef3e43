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
import java.util.HashMap;
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

  public static final String HELP =
      """
      benchmarks/run snapshot: cost of saving and restoring the state of a directory

      Runs Baton (a runner's library in a separate process, the real checkpoint-store and the
      embedded object store), tar --zstd and, if they are present, restic and borg on the
      same tree: captures it first, unchanged, with one file in a hundred changed and with ten
      files changed, and restores it. Compares medians over the rounds. Writes snapshot.md,
      snapshot.json and snapshot.svg into benchmarks/results.

        -o json|table    what to print on standard output (default table)
        --rounds N       turns of each tool, 1 to 100 (default 5)
        --tree DIR       the directory to measure; it is copied and not changed;
                         default: a generated tree, kept for later measurements
        --files N        approximate number of files of a generated tree, 100 to 2000000
                         (default 85000, which are 1 GiB; the size goes with the number)
        --seed N         seed of the generated tree (default 1)
        --tools A,B      only these of baton, tar, restic, borg
        --env C:NAME=V   additional environment variable for a component (kafka, postgres, s3,
                         checkpoint-store, orchestrator)
        --work DIR       folder for copies of the tree and the tools' stores: nine times the
                         tree's size, better 25 times, so that all restored trees can stay
                         until the end (default: the system's temporary folder)
        --profile DIR    also write a flight recording of each of Baton's Java processes there
        --results DIR    folder for the results
        --help           this

      Examples
        benchmarks/run snapshot
        benchmarks/run snapshot -o json > figures.json
        benchmarks/run snapshot --tree ~/code/project --rounds 3
        benchmarks/run snapshot --files 2000 --rounds 1 --tools baton,tar
      """;

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
    boolean json = false;
    Path given = null;
    int files = 85_000;
    long seed = 1;
    List<String> tools = TOOLS;
    Map<String, Map<String, String>> environment = new HashMap<>();
    Path work = null;
    Path profile = null;
    Path results = null;
    while (!left.isEmpty()) {
      String name = left.next();
      switch (name) {
        case "-o", "--output" -> json = left.oneOf(name, "table", "json").equals("json");
        case "--rounds" -> rounds = (int) left.number(name, 1, 100);
        case "--tree" -> given = Path.of(left.value(name));
        case "--files" -> files = (int) left.number(name, 100, 2_000_000);
        case "--seed" -> seed = left.number(name, 0, 999_999_999);
        case "--tools" -> tools = tools(left.value(name));
        case "--env" -> left.variable(name, environment);
        case "--work" -> work = Path.of(left.value(name));
        case "--profile" -> profile = Path.of(left.value(name));
        case "--results" -> results = Path.of(left.value(name));
        default -> throw new IllegalArgumentException("unknown argument " + name + "; see --help");
      }
    }
    return new SnapshotOptions(
        rounds,
        json,
        given,
        new TreeShape(seed, files),
        tools,
        environment,
        work,
        profile,
        results);
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
