/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the runners of a pool are created. What is null, or empty, is that of the launcher.
 *
 * @param image with tag or digest
 * @param memoryBytes limit
 * @param requestedMemoryBytes what the scheduler reserves
 * @param cpus limit in processors
 * @param requestedCpus what the scheduler reserves, in processors
 * @param grace between SIGTERM and SIGKILL; in whole seconds
 * @param nodeSelector labels that the node must have
 * @param tolerations each {@code key[=value][:effect]}
 * @param owner the object to which the runners belong
 */
public record RunnerPoolTemplate(
    @Nullable String image,
    @Nullable Long memoryBytes,
    @Nullable Long requestedMemoryBytes,
    @Nullable Double cpus,
    @Nullable Double requestedCpus,
    @Nullable Long workBytes,
    @Nullable Long tmpBytes,
    @Nullable Duration grace,
    Map<String, String> nodeSelector,
    List<String> tolerations,
    @Nullable String priorityClass,
    Owner owner) {
  /** An object of the launcher's namespace. */
  public record Owner(String apiVersion, String kind, String name, String uid) {}

  public RunnerPoolTemplate {
    nodeSelector = Map.copyOf(nodeSelector);
    tolerations = List.copyOf(tolerations);
  }
}
