/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import dev.baton.operator.OrchestratorClient.OwnedRun;
import dev.baton.operator.OrchestratorException.UnavailableException;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Ends runs whose resource was deleted while no operator watched: compares the runs that the
 * orchestrator has stored with the cluster. A resource that the cache of the watch does not have is
 * searched in a list of its namespace, since a cache may be older than the run. A list that fails
 * ends nothing, unless its namespace was deleted.
 */
final class DeletedRunSweeper {
  private static final System.Logger LOG = System.getLogger(DeletedRunSweeper.class.getName());

  private final KubernetesClient client;
  private final OrchestratorClient orchestrator;
  private final Set<String> namespaces;
  private final Predicate<ResourceKey> isPresent;

  /**
   * @param isPresent whether the cache has the resource
   */
  DeletedRunSweeper(
      KubernetesClient client,
      OrchestratorClient orchestrator,
      Set<String> namespaces,
      Predicate<ResourceKey> isPresent) {
    this.client = client;
    this.orchestrator = orchestrator;
    this.namespaces = Set.copyOf(namespaces);
    this.isPresent = isPresent;
  }

  /**
   * @return the number of runs that were ended
   */
  int sweep() throws UnavailableException {
    Map<String, List<OwnedRun>> candidates =
        orchestrator.owned(namespaces).stream()
            .filter(owned -> !isPresent.test(owned.resource()))
            .collect(Collectors.groupingBy(owned -> owned.resource().namespace()));
    int ended = 0;
    for (var entry : candidates.entrySet()) {
      Optional<Set<String>> existing = existing(entry.getKey());
      if (existing.isEmpty()) {
        continue;
      }
      for (OwnedRun owned : entry.getValue()) {
        if (!existing.get().contains(owned.resource().uid())) {
          LOG.log(
              System.Logger.Level.INFO,
              "run {0}: its resource {1}/{2} was deleted",
              owned.run(),
              owned.resource().namespace(),
              owned.resource().name());
          orchestrator.endDeleted(owned.resource().uid());
          ended++;
        }
      }
    }
    return ended;
  }

  /** Returns the uids of a namespace's resources; empty when they cannot be listed. */
  private Optional<Set<String>> existing(String namespace) {
    try {
      return Optional.of(
          client
              .resources(RunCustomResource.class)
              .inNamespace(namespace)
              .list()
              .getItems()
              .stream()
              .map(found -> found.getMetadata().getUid())
              .collect(Collectors.toSet()));
    } catch (KubernetesClientException e) {
      // The rights of a namespace are deleted with it.
      if (NamespaceProbe.isRefusal(e) && new NamespaceProbe(client).isDeleted(namespace)) {
        return Optional.of(Set.of());
      }
      LOG.log(
          System.Logger.Level.WARNING,
          "operator: runs of namespace {0} cannot be listed, retrying: {1}",
          namespace,
          e.getMessage());
      return Optional.empty();
    }
  }
}
