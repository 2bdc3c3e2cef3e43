/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Settings of a {@link KubernetesRunnerLauncher}.
 *
 * @param kubeconfig file with the cluster's address and credentials; empty for the service account
 *     of the orchestrator's pod, else {@code KUBECONFIG} and {@code ~/.kube/config}
 * @param context of the kubeconfig; empty for its current one
 * @param namespace of the pods; empty for that of the context or of the orchestrator's pod
 * @param installation 1 to 32 lower-case letters, digits and {@code -}; part of each pod's name.
 *     Equal on all replicas, different for other installations in the same namespace
 * @param pod of the pools without settings of their own
 * @param pools by name
 * @param logFolder receives the end of each pod's output before the pod is deleted
 * @param callTimeout of one request to the API server; 1s or more
 * @param relist interval of the check for ends whose event was lost
 */
public record KubernetesLauncherSettings(
    Optional<Path> kubeconfig,
    Optional<String> context,
    Optional<String> namespace,
    String installation,
    PodSettings pod,
    Map<String, PodSettings> pools,
    Path logFolder,
    Duration callTimeout,
    Duration relist) {
  private static final String INSTALLATION = "[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?";

  public KubernetesLauncherSettings {
    pools = Map.copyOf(pools);
    logFolder = logFolder.toAbsolutePath().normalize();
    if (!installation.matches(INSTALLATION)) {
      throw new IllegalArgumentException(
          "'" + installation + "' is not the name of an installation; allowed: " + INSTALLATION);
    }
  }

  PodSettings of(String pool) {
    return pools.getOrDefault(pool, pod);
  }
}
