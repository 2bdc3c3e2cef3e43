/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.failover;

import dev.baton.benchmarks.arguments.BenchmarkArgumentParser;
import dev.baton.standalone.jvm.InstallationLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * @param kills of one runner, for warm and cold each, and of Restate's service
 * @param hangs of one runner
 * @param losses of an orchestrator
 * @param handovers of one run
 * @param hundred number of runners killed at once
 * @param seed of the moments within a step
 * @param environment additional variables for components of the embedded stack, by component
 * @param against the home of another version, whose failovers alternate with this one's; null for
 *     none
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
    @Nullable Path against,
    @Nullable Path results) {
  public FailoverOptions {
    scenarios = Set.copyOf(scenarios);
    environment = Map.copyOf(environment);
  }

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
    Path against = null;
    while (!left.isEmpty()) {
      String name = left.next();
      switch (name) {
        case "--only" -> scenarios = scenarios(left.value(name));
        case "--kills" -> kills = (int) left.number(name, 1, 10_000);
        case "--hangs" -> hangs = (int) left.number(name, 1, 1_000);
        case "--losses" -> losses = (int) left.number(name, 1, 1_000);
        case "--handovers" -> handovers = (int) left.number(name, 1, 1_000);
        case "--hundred" -> hundred = (int) left.number(name, 1, 1_000);
        case "--seed" -> seed = left.number(name, 0, Long.MAX_VALUE / 10);
        case "--against" -> against = home(left.value(name));
        case "--env" -> left.variable(name);
        default -> left.common(name);
      }
    }
    return new FailoverOptions(
        scenarios,
        kills,
        hangs,
        losses,
        handovers,
        hundred,
        seed,
        left.json(),
        left.environment(),
        against,
        left.results());
  }

  private static Path home(String text) {
    Path home = Path.of(text).toAbsolutePath().normalize();
    if (!InstallationLayout.isHome(home)) {
      throw new IllegalArgumentException(
          "--against " + text + " is neither a Baton checkout nor an installed Baton");
    }
    return home;
  }

  private static Set<FailoverScenario> scenarios(String text) {
    Set<FailoverScenario> chosen = EnumSet.noneOf(FailoverScenario.class);
    for (String one : text.split(",", -1)) {
      chosen.add(
          Arrays.stream(FailoverScenario.values())
              .filter(FailoverScenario::isChosen)
              .filter(scenario -> scenario.label().equals(one))
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "--only "
                              + one
                              + " is not one of "
                              + Arrays.stream(FailoverScenario.values())
                                  .filter(FailoverScenario::isChosen)
                                  .map(FailoverScenario::label)
                                  .collect(Collectors.joining(", ")))));
    }
    if (chosen.contains(FailoverScenario.WARM)) {
      chosen.add(FailoverScenario.FLOOR);
    }
    return chosen;
  }
}
