/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.security;

import dev.baton.benchmarks.arguments.BenchmarkArgumentParser;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * @param rounds measured turns of each stack, 1 to 100
 * @param warmup unmeasured turns of each before them, 0 to 100
 * @param results the folder for the table and the figures; null for the default
 */
public record SecurityOptions(int rounds, int warmup, boolean json, @Nullable Path results) {
  private static final int MOST = 100;

  /**
   * @throws IllegalArgumentException naming the wrong argument and what is allowed
   */
  public static SecurityOptions parse(List<String> arguments) {
    BenchmarkArgumentParser left = new BenchmarkArgumentParser(arguments);
    int rounds = 5;
    int warmup = 8;
    while (!left.isEmpty()) {
      String name = left.next();
      switch (name) {
        case "--rounds" -> rounds = (int) left.number(name, 1, MOST);
        case "--warmup" -> warmup = (int) left.number(name, 0, MOST);
        default -> left.common(name);
      }
    }
    return new SecurityOptions(rounds, warmup, left.json(), left.results());
  }
}
