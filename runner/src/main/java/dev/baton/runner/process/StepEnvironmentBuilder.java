/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Builds the environment of a step's processes: the runner's environment without the settings of
 * Baton and Kafka and without variables whose names look like secrets. A workflow passes a secret
 * by naming it in the step's {@code env}.
 */
public final class StepEnvironmentBuilder {
  private static final Pattern OWN = Pattern.compile("(BATON|KAFKA|QUARKUS)_.*");

  /** {@code baton down} finds the remaining processes of a stack by this mark. */
  private static final String STACK = "BATON_STACK";

  private static final Pattern SECRET =
      Pattern.compile(
          ".*(SECRET|PASSWORD|PASSWD|PASSPHRASE|TOKEN|CREDENTIAL|PRIVATE_KEY|API_?KEY|ACCESS_KEY).*",
          Pattern.CASE_INSENSITIVE);

  /** Would change how every Java program of the step is started. */
  private static final Set<String> LOADER = Set.of("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS");

  private StepEnvironmentBuilder() {}

  /**
   * @param runner the runner's environment
   * @param step the variables that the step sets; override the runner's
   * @param baton the variables of every step; override both
   */
  public static Map<String, String> of(
      Map<String, String> runner, Map<String, String> step, Map<String, String> baton) {
    Map<String, String> all = new TreeMap<>();
    runner.forEach(
        (name, value) -> {
          if (isPassedOn(name)) {
            all.put(name, value);
          }
        });
    all.putAll(step);
    all.putAll(baton);
    return all;
  }

  /** Whether a variable of this name probably holds a secret. */
  public static boolean looksSecret(String name) {
    return SECRET.matcher(name).matches();
  }

  static boolean isPassedOn(String name) {
    return (name.equals(STACK) || !OWN.matcher(name).matches())
        && !looksSecret(name)
        && !LOADER.contains(name);
  }
}
