/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The variables of a runner in a container. */
public final class RunnerVariables {
  private RunnerVariables() {}

  /**
   * Returns a new map. A variable of the launch replaces one of the place.
   *
   * @param place the variables of the place; its {@code BATON_RUNNER_GRACE} replaces the grace,
   *     since a node may give less
   * @param grace between SIGTERM and SIGKILL, in whole seconds
   */
  public static SortedMap<String, String> of(
      LaunchSpec spec, Map<String, String> place, Duration grace) {
    SortedMap<String, String> all = new TreeMap<>();
    all.put("BATON_RUNNER_GRACE", grace.toSeconds() + "s");
    all.putAll(place);
    all.putAll(spec.environment());
    all.put("BATON_RUNNER_ID", spec.runner());
    if (spec.run() != null) {
      all.put("BATON_RUN_ID", spec.run());
      all.put("BATON_EPOCH", Integer.toString(spec.epoch()));
    }
    return all;
  }
}
