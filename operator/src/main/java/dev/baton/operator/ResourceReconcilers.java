/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.ControllerConfigurationOverrider;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;

/** The reconcilers of both kinds while this replica holds the lease. */
final class ResourceReconcilers implements AutoCloseable {
  static final String FIELD_MANAGER = "baton-operator";
  private static final Duration SYNC = Duration.ofSeconds(30);
  private static final Duration END = Duration.ofSeconds(5);
  private static final int THREADS = 8;

  private final Operator operator;
  private final OrchestratorClient.Subscription reports;
  private final DeletedRunSweeper sweeper;

  private ResourceReconcilers(
      Operator operator, OrchestratorClient.Subscription reports, DeletedRunSweeper sweeper) {
    this.operator = operator;
    this.reports = reports;
    this.sweeper = sweeper;
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
      operator.start();
      return new ResourceReconcilers(
          operator,
          orchestrator.follow(namespaces, runs::changed),
          new DeletedRunSweeper(client, orchestrator, namespaces, runs::isPresent));
    } catch (RuntimeException e) {
      operator.stop();
      throw e;
    }
  }

  private static void configure(
      ControllerConfigurationOverrider<?> settings, String name, Set<String> namespaces) {
    settings
        .withName("baton-" + name)
        .settingNamespaces(namespaces)
        .withFieldManager(FIELD_MANAGER)
        .withRetry(new JitteredRetry());
  }

  DeletedRunSweeper sweeper() {
    return sweeper;
  }

  @Override
  public void close() {
    reports.close();
    operator.stop();
  }
}
