/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.RunnerPoolTemplate;
import java.util.Map;
import java.util.OptionalInt;

/**
 * A pool that a resource describes.
 *
 * @param warm number of idle runners, of all replicas together
 * @param maxRunners maximum number of live runners on each replica
 * @param order as of pools of settings
 */
record RunnerPoolDefinition(
    String launcher,
    String name,
    int warm,
    OptionalInt maxRunners,
    int order,
    Map<String, String> labels,
    RunnerPoolTemplate template) {
  static final int DEFAULT_ORDER = 100;

  RunnerPoolDefinition {
    labels = Map.copyOf(labels);
  }

  /**
   * Returns the number of idle runners that one replica keeps: of all of them the number is that of
   * the pool.
   *
   * @param replicas number of live replicas, at least 1
   * @param index of the replica among them
   */
  int share(int replicas, int index) {
    return warm / replicas + (index < warm % replicas ? 1 : 0);
  }
}
