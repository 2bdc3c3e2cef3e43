/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.LaunchTimeouts;
import dev.baton.protocol.workflow.IsolationMode;
import dev.baton.protocol.workflow.RunnerSelector;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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
 * @param sharesPrograms whether its shared runners execute shell steps; programs of several runs
 *     then have one user
 */
record RunnerPlace(
    String launcher,
    String pool,
    Map<String, String> labels,
    OptionalInt launcherLimit,
    OptionalInt poolLimit,
    int warm,
    int shared,
    boolean sharesPrograms,
    LaunchTimeouts timeouts) {
  /** The pool of runners for which no pool was named. */
  static final String DEFAULT_POOL = "default";

  RunnerPlace {
    labels = Map.copyOf(labels);
  }

  boolean fits(RunnerSelector selector) {
    return selector.matches(launcher, pool, labels);
  }

  /** Returns why its runners cannot carry such runs, for people; empty when they can. */
  Optional<String> lack(RunnerDemand demand) {
    if (demand.isolation() == IsolationMode.ISOLATED) {
      return Optional.empty();
    }
    if (shared == 0) {
      return Optional.of("no shared runners");
    }
    return demand.sharesPrograms() && !sharesPrograms
        ? Optional.of("its shared runners execute no shell steps: use 'isolation: isolated'")
        : Optional.empty();
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
