/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.RunnerPoolRegistry;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.replicas.ReplicaBus;
import dev.baton.orchestrator.replicas.ReplicaMessage;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Adds, changes and removes the pools that resources describe. Blocks its callers for a few
 * statements. Thread-safe.
 */
@ApplicationScoped
public class RunnerPoolService {
  private static final Logger LOG = Logger.getLogger(RunnerPoolService.class);
  private static final Duration SQL = Duration.ofSeconds(10);

  /**
   * A resource that describes a pool.
   *
   * @param name of the resource, and so of the pool
   * @param cluster address of its API server
   */
  public record PoolResource(String uid, String namespace, String name, String cluster) {}

  /**
   * The state of a pool on all replicas.
   *
   * @param wanted number of idle runners that the pool keeps
   * @param warm number of idle runners, with those that start
   * @param ready number of idle runners whose program runs
   * @param all number of live runners
   * @param selector of their pods
   * @param refusal a word of the API: why the last start was refused; null when it was not
   * @param detail what the launcher reports of a refusal
   */
  public record PoolState(
      int wanted,
      int warm,
      int ready,
      int all,
      String selector,
      @Nullable String refusal,
      @Nullable String detail) {}

  private final LauncherRegistry launchers;
  private final RunnerPoolRepository pools;
  private final RunnerPoolSynchronizer synchronizer;
  private final ReplicaBus bus;

  RunnerPoolService(
      LauncherRegistry launchers,
      RunnerPoolRepository pools,
      RunnerPoolSynchronizer synchronizer,
      ReplicaBus bus) {
    this.launchers = launchers;
    this.pools = pools;
    this.synchronizer = synchronizer;
    this.bus = bus;
  }

  /** Returns the namespaces in which resources can describe pools. */
  public Set<String> namespaces() {
    return launchers.registries().values().stream()
        .map(registry -> registry.location().namespace())
        .collect(Collectors.toSet());
  }

  /**
   * Stores the pool of a resource, and returns its state. Idempotent.
   *
   * @param spec JSON
   * @throws ProblemException when the spec has errors or the pool is not possible; an earlier
   *     definition of it stays in effect
   */
  public PoolState put(PoolResource resource, String spec) {
    RunnerPoolDefinition pool =
        RunnerPoolParser.parse(
            resource.name(),
            spec,
            RunnerPoolSynchronizer.owner(resource.name(), resource.uid()),
            onlyLauncher());
    check(resource, pool);
    boolean changed =
        pools
            .put(pool.launcher(), pool.name(), resource.uid(), resource.namespace(), spec)
            .orElseThrow(
                () ->
                    conflict(
                        "a RunnerPool '%s' of another namespace is a pool of launcher '%s'; delete that one, or use another name"
                            .formatted(pool.name(), pool.launcher())));
    if (changed) {
      LOG.infof("runner pool %s of launcher %s: changed", pool.name(), pool.launcher());
      changed();
    }
    return find(resource.uid())
        .orElseThrow(
            () ->
                new ProblemException(
                    ProblemKind.UNAVAILABLE, "the pool was removed at the same time"));
  }

  /** Returns the name of the only launcher whose pools may be resources; else an empty text. */
  private String onlyLauncher() {
    Set<String> names = launchers.registries().keySet();
    return names.size() == 1 ? names.iterator().next() : "";
  }

  private void check(PoolResource resource, RunnerPoolDefinition pool) {
    Map<String, RunnerPoolRegistry> registries = launchers.registries();
    RunnerPoolRegistry registry = registries.get(pool.launcher());
    if (registry == null) {
      throw invalid(
          registries.isEmpty()
              ? "no launcher creates pods; set baton.launchers.NAME.type=kubernetes"
              : "spec.launcher is '%s'; allowed: %s"
                  .formatted(pool.launcher(), String.join(", ", registries.keySet())));
    }
    if (launchers.isConfigured(pool.launcher(), pool.name())) {
      throw conflict(
          "launcher '%1$s' has a pool '%2$s' in its settings; use another name, or remove baton.launchers.%1$s.pools.%2$s"
              .formatted(pool.launcher(), pool.name()));
    }
    RunnerPoolRegistry.Location place = registry.location();
    if (!place.namespace().equals(resource.namespace())) {
      throw invalid(
          "launcher '%s' creates its pods in namespace '%s', and an owner must be there; create the RunnerPool in that namespace"
              .formatted(pool.launcher(), place.namespace()));
    }
    if (!place.cluster().equals(resource.cluster())) {
      throw invalid(
          "launcher '%s' creates its pods at %s, and this resource is at %s; use one address for baton.operator.kubeconfig and for the launcher"
              .formatted(pool.launcher(), place.cluster(), resource.cluster()));
    }
  }

  private static ProblemException invalid(String detail) {
    return new ProblemException(ProblemKind.INVALID_INPUT, detail);
  }

  private static ProblemException conflict(String detail) {
    return new ProblemException(ProblemKind.CONFLICT, detail);
  }

  /** Returns the state of the pool of a resource; empty when it was never accepted. */
  public Optional<PoolState> find(String uid) {
    return pools.find(uid).map(this::state);
  }

  private PoolState state(RunnerPoolRepository.Entry entry) {
    RunnerPoolRepository.Counts counts = pools.counts(entry.launcher(), entry.name());
    RunnerPoolRegistry registry = launchers.registries().get(entry.launcher());
    LaunchRefusal refusal = entry.refusal();
    return new PoolState(
        RunnerPoolSynchronizer.definition(entry).map(RunnerPoolDefinition::warm).orElse(0),
        counts.warm(),
        counts.ready(),
        counts.all(),
        registry == null ? "" : registry.selector(entry.name()),
        refusal == null ? null : refusal.reason(),
        refusal == null ? null : refusal.detail());
  }

  /**
   * Removes the pool of a deleted resource: nothing starts in it any more, its idle runners are
   * stopped, and those that work finish. Idempotent.
   */
  public void remove(String uid) {
    if (pools.remove(uid)) {
      LOG.infof("runner pool of resource %s: removed", uid);
      changed();
    }
  }

  /** Returns the resources of pools in these namespaces that are not known to be deleted. */
  public List<PoolResource> owned(Collection<String> namespaces) {
    return pools.owned(namespaces).stream()
        .map(entry -> new PoolResource(entry.uid(), entry.namespace(), entry.name(), ""))
        .toList();
  }

  private void changed() {
    synchronizer.wake();
    try {
      bus.tell(new ReplicaMessage.RunnerPoolsChanged()).await().atMost(SQL);
    } catch (RuntimeException e) {
      LOG.warnf("runner pools: other replicas read the change within seconds: %s", e);
    }
  }
}
