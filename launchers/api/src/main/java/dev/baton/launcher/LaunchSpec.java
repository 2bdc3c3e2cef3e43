/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A runner to be started.
 *
 * @param runner unique name: 1 to 63 lower-case letters, digits and {@code -}
 * @param run that it is started for; null for a runner of a pool
 * @param epoch of the run; 0 for a runner of a pool
 * @param pool of the launcher, which may select the runner's resources by it
 * @param environment its variables, in addition to those of the place
 */
public record LaunchSpec(
    String runner, @Nullable String run, int epoch, String pool, Map<String, String> environment) {
  private static final String NAME = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";

  public LaunchSpec {
    environment = Map.copyOf(environment);
    if (!runner.matches(NAME)) {
      throw new IllegalArgumentException(
          "'" + runner + "' is not the name of a runner; allowed: " + NAME);
    }
    if (epoch < 0 || (run == null) != (epoch == 0)) {
      throw new IllegalArgumentException(
          "runner " + runner + ": run " + run + " does not fit epoch " + epoch);
    }
  }
}
