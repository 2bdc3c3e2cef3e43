/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.fork;

import dev.baton.benchmarks.arguments.BenchmarkArgumentParser;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options of the benchmark.
 *
 * @param parents the runs that are forked
 * @param samples forks of each
 * @param results the folder for the table and the figures; null for the default
 */
public record ForkOptions(List<Parent> parents, int samples, boolean json, @Nullable Path results) {
  /**
   * A run that is forked.
   *
   * @param steps completed before the fork's first, in addition to the one that writes the files
   * @param megabytes of files, of one megabyte each
   */
  public record Parent(int steps, int megabytes) {}

  public ForkOptions {
    parents = List.copyOf(parents);
  }

  private static final List<Parent> USUAL =
      List.of(
          new Parent(10, 1), new Parent(1_000, 1), new Parent(20_000, 1), new Parent(10, 1_000));
  private static final int MOST_STEPS = 100_000;
  private static final int MOST_MEGABYTES = 10_000;
  private static final int MOST_SAMPLES = 1_000;

  /**
   * @throws IllegalArgumentException naming the wrong argument and what is allowed
   */
  public static ForkOptions parse(List<String> arguments) {
    BenchmarkArgumentParser left = new BenchmarkArgumentParser(arguments);
    List<Parent> parents = USUAL;
    int samples = 9;
    while (!left.isEmpty()) {
      String name = left.next();
      switch (name) {
        case "--parents" -> parents = parents(left.value(name));
        case "--samples" -> samples = (int) left.number(name, 1, MOST_SAMPLES);
        default -> left.common(name);
      }
    }
    return new ForkOptions(parents, samples, left.json(), left.results());
  }

  private static List<Parent> parents(String text) {
    List<Parent> parents = new ArrayList<>();
    for (String one : text.split(",", -1)) {
      String[] parts = one.split(":", -1);
      if (parts.length != 2) {
        throw new IllegalArgumentException("--parents " + one + " does not match STEPS:MB");
      }
      parents.add(
          new Parent(number(one, parts[0], MOST_STEPS), number(one, parts[1], MOST_MEGABYTES)));
    }
    return parents;
  }

  private static int number(String parent, String text, int most) {
    if (text.matches("\\d{1,9}")) {
      int number = Integer.parseInt(text);
      if (number >= 1 && number <= most) {
        return number;
      }
    }
    throw new IllegalArgumentException(
        "--parents " + parent + ": " + text + " is not a number from 1 to " + most);
  }
}
