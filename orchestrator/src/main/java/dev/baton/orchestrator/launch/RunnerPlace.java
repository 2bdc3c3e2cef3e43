/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.LaunchTimeouts;
import dev.baton.protocol.workflow.RunnerSelector;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A pool of a launcher, in which runners are started. Places with the same names are equal, also
 * when the settings of a pool have changed in between.
 *
 * @param labels of the launcher and the pool
 * @param launcherLimit maximum number of live runners of the launcher on this replica
 * @param poolLimit maximum number of live runners of the pool on this replica
 * @param warm number of idle runners for isolated runs
 * @param shared number of runners that carry many light runs
 */
record RunnerPlace(
    String launcher,
    String pool,
    Map<String, String> labels,
    OptionalInt launcherLimit,
    OptionalInt poolLimit,
    int warm,
    int shared,
    LaunchTimeouts timeouts) {
  /** The pool of runners for which no pool was named. */
  static final String DEFAULT_POOL = "default";

  RunnerPlace {
    labels = Map.copyOf(labels);
  }

  boolean fits(RunnerSelector selector) {
    return selector.matches(launcher, pool, labels);
  }

  /** Whether this is the place with these names. */
  boolean is(String launcherName, String poolName) {
    return launcher.equals(launcherName) && pool.equals(poolName);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RunnerPlace place && is(place.launcher, place.pool);
  }

  @Override
  public int hashCode() {
    return Objects.hash(launcher, pool);
  }

  /** For people. */
  String describe() {
    return "launcher " + launcher + ", pool " + pool + ", labels " + labels;
  }
}
