/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import dev.baton.operator.OrchestratorException.UnavailableException;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.ControllerConfigurationOverrider;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/** The reconcilers of the kinds while this replica holds the lease. */
final class ResourceReconcilers implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ResourceReconcilers.class.getName());
  private static final int NOT_FOUND = 404;
  private static final int FORBIDDEN = 403;

  static final String FIELD_MANAGER = "baton-operator";
  private static final Duration SYNC = Duration.ofSeconds(30);
  private static final Duration END = Duration.ofSeconds(5);
  private static final int THREADS = 8;

  private final Operator operator;
  private final OrchestratorClient.Subscription reports;
  private final DeletedRunSweeper sweeper;
  private final DeletedRunnerPoolSweeper poolSweeper;

  private ResourceReconcilers(
      Operator operator,
      OrchestratorClient.Subscription reports,
      DeletedRunSweeper sweeper,
      DeletedRunnerPoolSweeper poolSweeper) {
    this.operator = operator;
    this.reports = reports;
    this.sweeper = sweeper;
    this.poolSweeper = poolSweeper;
  }

  /**
   * Returns after the caches contain what the cluster has.
   *
   * @param failed is called when a watch has ended permanently
   * @throws RuntimeException when the kinds cannot be listed and watched
   */
  static ResourceReconcilers start(
      KubernetesClient client,
      OrchestratorClient orchestrator,
      Set<String> namespaces,
      Set<String> poolNamespaces,
      Clock clock,
      Consumer<String> failed) {
    Operator operator =
        new Operator(
            settings ->
                settings
                    .withKubernetesClient(client)
                    .withCloseClientOnStop(false)
                    // Reading definitions of kinds is a right of the whole cluster.
                    .checkingCRDAndValidateLocalModel(false)
                    .withConcurrentReconciliationThreads(THREADS)
                    .withCacheSyncTimeout(SYNC)
                    .withReconciliationTerminationTimeout(END)
                    .withUseSSAToPatchPrimaryResource(true)
                    .withInformerStoppedHandler(
                        (informer, failure) -> {
                          if (failure != null) {
                            failed.accept("a watch has ended: " + failure);
                          }
                        }));
    RunResourceReconciler runs = new RunResourceReconciler(orchestrator, clock);
    try {
      operator.register(
          new WorkflowResourceReconciler(orchestrator, clock),
          settings -> configure(settings, "workflows", namespaces));
      operator.register(
          runs,
          settings -> {
            configure(settings, "runs", namespaces);
            settings.withTriggerReconcilerOnAllEvents(true);
          });
      Set<String> pools = watchable(client, poolNamespaces);
      if (!pools.isEmpty()) {
        operator.register(
            new RunnerPoolResourceReconciler(orchestrator, client.getMasterUrl().toString(), clock),
            settings -> {
              configure(settings, "runner-pools", pools);
              settings.withTriggerReconcilerOnAllEvents(true);
            });
      }
      operator.start();
      return new ResourceReconcilers(
          operator,
          orchestrator.follow(namespaces, runs::changed),
          new DeletedRunSweeper(client, orchestrator, namespaces, runs::isPresent),
          new DeletedRunnerPoolSweeper(client, orchestrator, pools));
    } catch (RuntimeException e) {
      operator.stop();
      throw e;
    }
  }

  /**
   * Returns the namespaces whose RunnerPools can be read. An installation that was upgraded may
   * lack the kind or the right; its runs must not depend on that.
   */
  private static Set<String> watchable(KubernetesClient client, Set<String> namespaces) {
    Set<String> found = new HashSet<>();
    for (String namespace : namespaces) {
      try {
        client
            .resources(RunnerPoolCustomResource.class)
            .inNamespace(namespace)
            .list(new ListOptionsBuilder().withLimit(1L).build());
        found.add(namespace);
      } catch (KubernetesClientException e) {
        if (e.getCode() != NOT_FOUND && e.getCode() != FORBIDDEN) {
          throw e;
        }
        LOG.log(
            System.Logger.Level.WARNING,
            "operator: runner pools of namespace {0} are not watched; apply deploy/kubernetes/crds and deploy/kubernetes/rbac.yaml, or upgrade both charts: {1}",
            namespace,
            e.getMessage());
      }
    }
    return found;
  }

  private static void configure(
      ControllerConfigurationOverrider<?> settings, String name, Set<String> namespaces) {
    settings
        .withName("baton-" + name)
        .settingNamespaces(namespaces)
        .withFieldManager(FIELD_MANAGER)
        .withRetry(new JitteredRetry());
  }

  /** Ends what belongs to resources that were deleted while no operator watched. */
  void sweep() throws UnavailableException {
    sweeper.sweep();
    poolSweeper.sweep();
  }

  @Override
  public void close() {
    reports.close();
    operator.stop();
  }
}
