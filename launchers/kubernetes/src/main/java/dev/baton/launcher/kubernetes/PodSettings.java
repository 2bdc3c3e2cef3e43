/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the pods of a pool are created. A value that the API server does not accept rejects the
 * launch.
 *
 * @param image with tag or digest
 * @param command the container's arguments; empty for those of the image
 * @param memoryBytes limit
 * @param requestedMemoryBytes what the scheduler reserves
 * @param cpus limit in processors; 0 for none
 * @param requestedCpus what the scheduler reserves, in processors
 * @param workBytes limit of {@code /work}, on the node's disk
 * @param tmpBytes limits of {@code /tmp} and of the home folder, on the node's disk
 * @param isReadOnly whether nothing else can be written
 * @param isPulled whether the node pulls an image that it does not have
 * @param grace between SIGTERM and SIGKILL when the pod is deleted; in whole seconds
 * @param environment additional variables, kept in the pod's secret
 * @param serviceAccount empty for that of the namespace; its token for the API server is never
 *     mounted
 * @param tokenAudience for which a token of the service account is mounted; empty for none
 * @param pullSecrets names of secrets for the registry
 * @param volumes read-only files from secrets and config maps
 * @param nodeSelector labels that the node must have
 * @param tolerations each {@code key[=value][:effect]}
 * @param priorityClass empty for that of the cluster
 */
public record PodSettings(
    String image,
    List<String> command,
    long memoryBytes,
    long requestedMemoryBytes,
    double cpus,
    double requestedCpus,
    long workBytes,
    long tmpBytes,
    boolean isReadOnly,
    boolean isPulled,
    Duration grace,
    Map<String, String> environment,
    Optional<String> serviceAccount,
    Optional<String> tokenAudience,
    List<String> pullSecrets,
    List<PodVolume> volumes,
    Map<String, String> nodeSelector,
    List<String> tolerations,
    Optional<String> priorityClass) {
  public PodSettings {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
    pullSecrets = List.copyOf(pullSecrets);
    volumes = List.copyOf(volumes);
    nodeSelector = Map.copyOf(nodeSelector);
    tolerations = List.copyOf(tolerations);
  }
}
