/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * @param kubeconfig empty: the service account of this pod, else {@code KUBECONFIG}, {@code
 *     ~/.kube/config}
 * @param namespaces of the resources; empty: that of the client
 * @param poolNamespaces of RunnerPools: those in which the orchestrator creates pods
 * @param identity of this replica, for the lease
 */
public record OperatorSettings(
    Optional<Path> kubeconfig,
    Set<String> namespaces,
    Set<String> poolNamespaces,
    String identity) {
  public OperatorSettings {
    namespaces = Set.copyOf(namespaces);
    poolNamespaces = Set.copyOf(poolNamespaces);
  }
}
