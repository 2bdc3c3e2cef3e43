/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import dev.baton.operator.OrchestratorException.UnavailableException;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Removes pools whose resource was deleted while no operator watched: compares the stored pools
 * with a list of the cluster. A list that fails removes nothing.
 */
final class DeletedRunnerPoolSweeper {
  private final KubernetesClient client;
  private final OrchestratorClient orchestrator;
  private final Set<String> namespaces;

  DeletedRunnerPoolSweeper(
      KubernetesClient client, OrchestratorClient orchestrator, Set<String> namespaces) {
    this.client = client;
    this.orchestrator = orchestrator;
    this.namespaces = Set.copyOf(namespaces);
  }

  void sweep() throws UnavailableException {
    for (String namespace : namespaces) {
      List<ResourceKey> stored = orchestrator.ownedPools(Set.of(namespace));
      if (stored.isEmpty()) {
        continue;
      }
      Set<String> existing =
          client
              .resources(RunnerPoolCustomResource.class)
              .inNamespace(namespace)
              .list()
              .getItems()
              .stream()
              .map(found -> found.getMetadata().getUid())
              .collect(Collectors.toSet());
      for (ResourceKey pool : stored) {
        if (!existing.contains(pool.uid())) {
          orchestrator.removePool(pool.uid());
        }
      }
    }
  }
}
