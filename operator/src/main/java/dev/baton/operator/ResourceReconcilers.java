/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import dev.baton.operator.OrchestratorException.UnavailableException;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.ControllerConfigurationOverrider;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** The reconcilers of the kinds while this replica holds the lease. */
final class ResourceReconcilers implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ResourceReconcilers.class.getName());

  static final String FIELD_MANAGER = "baton-operator";
  private static final Duration SYNC = Duration.ofSeconds(30);
  private static final Duration END = Duration.ofSeconds(5);
  private static final int THREADS = 8;

  private static final List<Class<? extends HasMetadata>> RUN_KINDS =
      List.of(WorkflowCustomResource.class, RunCustomResource.class);
  private static final List<Class<? extends HasMetadata>> POOL_KINDS =
      List.of(RunnerPoolCustomResource.class);

  /** Namespaces that could not be watched at the start: of runs, and of pools. */
  private record Unwatched(NamespaceProbe probe, Set<String> runs, Set<String> pools) {
    boolean isWatchable() {
      return runs.stream().anyMatch(namespace -> isReadable(namespace, RUN_KINDS))
          || pools.stream().anyMatch(namespace -> isReadable(namespace, POOL_KINDS));
    }

    private boolean isReadable(String namespace, List<Class<? extends HasMetadata>> kinds) {
      return kinds.stream().allMatch(kind -> probe.refusal(kind, namespace).isEmpty());
    }
  }

  private final Operator operator;
  private final Unwatched unwatched;
  private final OrchestratorClient.Subscription reports;
  private final DeletedRunSweeper sweeper;
  private final DeletedRunnerPoolSweeper poolSweeper;

  private ResourceReconcilers(
      Operator operator,
      Unwatched unwatched,
      OrchestratorClient.Subscription reports,
      DeletedRunSweeper sweeper,
      DeletedRunnerPoolSweeper poolSweeper) {
    this.operator = operator;
    this.unwatched = unwatched;
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
    NamespaceProbe probe = new NamespaceProbe(client);
    RunResourceReconciler runs = new RunResourceReconciler(orchestrator, clock);
    Set<String> watched = watchable(probe, namespaces, RUN_KINDS);
    if (watched.isEmpty()) {
      // Without namespaces the framework would watch all of the cluster.
      sweepUnwatched(client, orchestrator, namespaces);
      throw new IllegalStateException("none of the namespaces " + namespaces + " can be watched");
    }
    Set<String> pools = watchable(probe, poolNamespaces, POOL_KINDS);
    try {
      operator.register(
          new WorkflowResourceReconciler(orchestrator, clock),
          settings -> configure(settings, "workflows", watched));
      operator.register(
          runs,
          settings -> {
            configure(settings, "runs", watched);
            settings.withTriggerReconcilerOnAllEvents(true);
          });
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
          new Unwatched(probe, without(namespaces, watched), without(poolNamespaces, pools)),
          orchestrator.follow(namespaces, runs::changed),
          new DeletedRunSweeper(client, orchestrator, namespaces, runs::isPresent),
          new DeletedRunnerPoolSweeper(client, orchestrator, pools));
    } catch (RuntimeException e) {
      operator.stop();
      throw e;
    }
  }

  /**
   * Returns the namespaces where resources of all kinds can be read. One that was deleted, or whose
   * rights are missing, must not keep the others from being watched, nor runs from their operator
   * in an installation that was upgraded without the kind of pools.
   */
  private static Set<String> watchable(
      NamespaceProbe probe, Set<String> namespaces, List<Class<? extends HasMetadata>> kinds) {
    Set<String> found = new HashSet<>();
    for (String namespace : namespaces) {
      Optional<String> refusal =
          kinds.stream()
              .map(kind -> probe.refusal(kind, namespace))
              .flatMap(Optional::stream)
              .findFirst();
      if (refusal.isEmpty()) {
        found.add(namespace);
      } else {
        LOG.log(
            System.Logger.Level.WARNING,
            "operator: resources of namespace {0} are not watched; {1}",
            namespace,
            probe.isDeleted(namespace)
                ? "it was deleted"
                : "apply deploy/kubernetes/crds and deploy/kubernetes/rbac.yaml, or upgrade both charts: "
                    + refusal.get());
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

  private static Set<String> without(Set<String> all, Set<String> some) {
    Set<String> rest = new HashSet<>(all);
    rest.removeAll(some);
    return Set.copyOf(rest);
  }

  private static void sweepUnwatched(
      KubernetesClient client, OrchestratorClient orchestrator, Set<String> namespaces) {
    try {
      new DeletedRunSweeper(client, orchestrator, namespaces, resource -> false).sweep();
    } catch (UnavailableException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether a namespace that was not watched can be, so that the reconcilers must start again. */
  boolean canWatchMore() {
    return unwatched.isWatchable();
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
