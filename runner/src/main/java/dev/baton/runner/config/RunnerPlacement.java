/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.config;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Properties by which workflows select a runner.
 *
 * @param launcher that started it; empty when it was started externally
 * @param pool of the launcher; empty when it is in none
 */
public record RunnerPlacement(String launcher, String pool, Map<String, String> labels) {
  private static final String LABELS = "baton.runner.labels";
  private static final String LABEL =
      "[A-Za-z0-9]([A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?=[A-Za-z0-9._-]{1,63}";
  private static final int MAX_LABELS = 16;

  public RunnerPlacement {
    labels = Map.copyOf(labels);
  }

  /**
   * Reads and validates the settings.
   *
   * @throws ConfigException that names the key, its value and what is allowed
   */
  static RunnerPlacement read(Function<String, Optional<String>> values) {
    Map<String, String> labels = new TreeMap<>();
    for (String label : text(values, LABELS).split(",")) {
      String pair = label.strip();
      if (pair.isEmpty()) {
        continue;
      }
      if (!pair.matches(LABEL) || labels.size() == MAX_LABELS) {
        throw new ConfigException(
            LABELS,
            pair,
            "at most " + MAX_LABELS + " labels, separated by commas, each such as gpu=true");
      }
      int equals = pair.indexOf('=');
      labels.put(pair.substring(0, equals), pair.substring(equals + 1));
    }
    return new RunnerPlacement(
        text(values, "baton.runner.launcher"), text(values, "baton.runner.pool"), labels);
  }

  private static String text(Function<String, Optional<String>> values, String key) {
    return values.apply(key).map(String::strip).orElse("");
  }
}
