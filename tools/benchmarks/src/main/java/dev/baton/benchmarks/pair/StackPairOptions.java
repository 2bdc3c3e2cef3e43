/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.pair;

import dev.baton.benchmarks.arguments.BenchmarkArgumentParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * @param rounds measured turns of each stack, 1 to 100
 * @param warmup unmeasured turns of each before them, 0 to 100
 * @param against the home of another version; null: not a comparison of versions
 * @param limit by how many percent a version may cost more than that one
 * @param results the folder for the table and the figures; null for the default
 */
public record StackPairOptions(
    int rounds,
    int warmup,
    @Nullable Path against,
    int limit,
    boolean json,
    @Nullable Path results) {
  private static final int MOST = 100;

  /**
   * @throws IllegalArgumentException naming the wrong argument and what is allowed
   */
  public static StackPairOptions ofSecurity(List<String> arguments) {
    return parse(arguments, false);
  }

  /**
   * @throws IllegalArgumentException naming the wrong or missing argument and what is allowed
   */
  public static StackPairOptions ofVersions(List<String> arguments) {
    StackPairOptions options = parse(arguments, true);
    Path against = options.against();
    if (against == null) {
      throw new IllegalArgumentException(
          "--against is missing: the home of the version to compare with; see --help");
    }
    if (!Files.isDirectory(against.resolve("orchestrator/target/quarkus-app"))) {
      throw new IllegalArgumentException(
          "--against " + against + " is not built; start it once with its ./baton up");
    }
    return options;
  }

  private static StackPairOptions parse(List<String> arguments, boolean versions) {
    BenchmarkArgumentParser left = new BenchmarkArgumentParser(arguments);
    int rounds = 5;
    int warmup = versions ? 4 : 8;
    Path against = null;
    int limit = 10;
    while (!left.isEmpty()) {
      String name = left.next();
      if (name.equals("--rounds")) {
        rounds = (int) left.number(name, 1, MOST);
      } else if (name.equals("--warmup")) {
        warmup = (int) left.number(name, 0, MOST);
      } else if (versions && name.equals("--against")) {
        against = Path.of(left.value(name)).toAbsolutePath().normalize();
      } else if (versions && name.equals("--limit")) {
        limit = (int) left.number(name, 1, MOST);
      } else {
        left.common(name);
      }
    }
    return new StackPairOptions(rounds, warmup, against, limit, left.json(), left.results());
  }
}
