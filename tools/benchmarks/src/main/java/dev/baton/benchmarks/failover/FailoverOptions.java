/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.failover;

import dev.baton.benchmarks.arguments.BenchmarkArgumentParser;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * @param kills of one runner, for warm and cold each
 * @param hangs of one runner
 * @param losses of an orchestrator
 * @param handovers of one run
 * @param hundred number of runners killed at once
 * @param seed of the moments within a step
 * @param environment additional variables for components of the embedded stack, by component
 * @param results the folder for the table and the figures; null for the default
 */
public record FailoverOptions(
    Set<FailoverScenario> scenarios,
    int kills,
    int hangs,
    int losses,
    int handovers,
    int hundred,
    long seed,
    boolean json,
    Map<String, Map<String, String>> environment,
    @Nullable Path results) {
  public FailoverOptions {
    scenarios = Set.copyOf(scenarios);
    environment = Map.copyOf(environment);
  }

  public static final String HELP =
      """
      benchmarks/run failover: failover latency after a runner has died

      Starts an embedded stack in a temporary folder. Runs loop over one step of 200 ms that
      writes a file; their runners are hit by a fault, and the benchmark measures the time until
      a reader of the log sees the start of the next epoch's first step.
        warm          SIGKILL of the runner while warm runners are idle
        cold          SIGKILL without a warm runner: a process is started
        hang          SIGSTOP; heartbeats every second, timeout after three
        replica_lost  SIGKILL of the runner and of the orchestrator that has started it, one of two
        planned       SIGTERM without a warm runner; from the last step that the old runner
                      completes until the next has started
        hundred       SIGKILL of a hundred isolated runners at once
      Writes failover.md and failover.json into benchmarks/results.

        -o json|table    what to print on standard output (default table)
        --only LIST      some of the above, separated by commas
        --kills N        warm and cold each, 1 to 10,000 (default 50)
        --hangs N        1 to 1,000 (default 20)
        --losses N       of an orchestrator, 1 to 1,000 (default 10)
        --handovers N    1 to 1,000 (default 20)
        --hundred N      runners killed at once, 1 to 1,000 (default 100); each has some 150 MB
        --seed N         seed of the moments within a step (default: the clock; printed)
        --env C:NAME=V   additional environment variable for a component (kafka, postgres, s3,
                         checkpoint-store, orchestrator)
        --results DIR    folder for the results
        --help           this

      Examples
        benchmarks/run failover
        benchmarks/run failover --only warm,cold --kills 20 -o json
      """;

  /**
   * @throws IllegalArgumentException naming the wrong argument and what is allowed
   */
  public static FailoverOptions parse(List<String> arguments) {
    BenchmarkArgumentParser left = new BenchmarkArgumentParser(arguments);
    Set<FailoverScenario> scenarios = EnumSet.allOf(FailoverScenario.class);
    int kills = 50;
    int hangs = 20;
    int losses = 10;
    int handovers = 20;
    int hundred = 100;
    long seed = System.currentTimeMillis();
    boolean json = false;
    Map<String, Map<String, String>> environment = new HashMap<>();
    Path results = null;
    while (!left.isEmpty()) {
      String name = left.next();
      switch (name) {
        case "-o", "--output" -> json = left.oneOf(name, "table", "json").equals("json");
        case "--only" -> scenarios = scenarios(left.value(name));
        case "--kills" -> kills = (int) left.number(name, 1, 10_000);
        case "--hangs" -> hangs = (int) left.number(name, 1, 1_000);
        case "--losses" -> losses = (int) left.number(name, 1, 1_000);
        case "--handovers" -> handovers = (int) left.number(name, 1, 1_000);
        case "--hundred" -> hundred = (int) left.number(name, 1, 1_000);
        case "--seed" -> seed = left.number(name, 0, Long.MAX_VALUE / 10);
        case "--env" -> left.variable(name, environment);
        case "--results" -> results = Path.of(left.value(name));
        default -> throw new IllegalArgumentException("unknown argument " + name + "; see --help");
      }
    }
    return new FailoverOptions(
        scenarios, kills, hangs, losses, handovers, hundred, seed, json, environment, results);
  }

  private static Set<FailoverScenario> scenarios(String text) {
    Set<FailoverScenario> chosen = EnumSet.noneOf(FailoverScenario.class);
    for (String one : text.split(",", -1)) {
      chosen.add(
          Arrays.stream(FailoverScenario.values())
              .filter(scenario -> scenario.label().equals(one))
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "--only "
                              + one
                              + " is not one of "
                              + Arrays.stream(FailoverScenario.values())
                                  .map(FailoverScenario::label)
                                  .collect(Collectors.joining(", ")))));
    }
    return chosen;
  }
}
