/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.arguments;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses a command line. Each method consumes an option's value and throws {@link
 * IllegalArgumentException} when it is missing or not allowed. Not thread-safe.
 */
public final class BenchmarkArgumentParser {
  private static final Pattern VARIABLE =
      Pattern.compile(
          "(kafka|postgres|s3|checkpoint-store|orchestrator):([A-Za-z_][A-Za-z0-9_]*)=(.*)");

  private final Deque<String> left;
  private final Map<String, Map<String, String>> environment = new HashMap<>();
  private boolean json;
  private @Nullable Path results;

  public BenchmarkArgumentParser(List<String> all) {
    this.left = new ArrayDeque<>(all);
  }

  public boolean isEmpty() {
    return left.isEmpty();
  }

  /** Returns the next argument, which is required. */
  public String next() {
    return left.removeFirst();
  }

  public String value(String option) {
    if (left.isEmpty()) {
      throw new IllegalArgumentException(option + " has no value; see --help");
    }
    return left.removeFirst();
  }

  public long number(String option, long least, long most) {
    String value = value(option);
    if (value.matches("\\d{1,18}")) {
      long number = Long.parseLong(value);
      if (number >= least && number <= most) {
        return number;
      }
    }
    throw new IllegalArgumentException(
        option + " " + value + " is not a number from " + least + " to " + most);
  }

  public String oneOf(String option, String first, String second) {
    String value = value(option);
    if (value.equals(first) || value.equals(second)) {
      return value;
    }
    throw new IllegalArgumentException(
        option + " " + value + " is neither " + first + " nor " + second);
  }

  /**
   * Reads an option that every benchmark has.
   *
   * @throws IllegalArgumentException for any other
   */
  public void common(String option) {
    switch (option) {
      case "-o", "--output" -> json = oneOf(option, "table", "json").equals("json");
      case "--results" -> results = Path.of(value(option));
      default -> throw new IllegalArgumentException("unknown argument " + option + "; see --help");
    }
  }

  /** Whether to print JSON instead of a table. */
  public boolean json() {
    return json;
  }

  /** The folder for the results; null: the default. */
  public @Nullable Path results() {
    return results;
  }

  /** The variables of each component, by its name. */
  public Map<String, Map<String, String>> environment() {
    return environment;
  }

  /** Adds {@code component:NAME=value} to the variables of that component. */
  public void variable(String option) {
    String text = value(option);
    Matcher parts = VARIABLE.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          option + " " + text + " does not match component:NAME=value");
    }
    environment
        .computeIfAbsent(parts.group(1), key -> new HashMap<>())
        .put(parts.group(2), parts.group(3));
  }
}
