/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.RunnerPoolTemplate;
import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.outbox.RunnerSlotsFreedEvent;
import dev.baton.orchestrator.replicas.ReplicaBusReconnectedEvent;
import dev.baton.orchestrator.replicas.ReplicaMessage;
import dev.baton.server.PeriodicTask;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Brings the launchers and the idle runners of this replica to the pools that are stored: reads
 * them when another replica has changed one, and every 5 s. Thread-safe.
 */
@ApplicationScoped
class RunnerPoolSynchronizer {
  private static final Logger LOG = Logger.getLogger(RunnerPoolSynchronizer.class);
  private static final Duration EVERY = Duration.ofSeconds(5);

  private final RunnerPoolRepository pools;
  private final LauncherRegistry launchers;
  private final WarmRunnerPool warm;
  private final LauncherCapacityLimiter capacity;
  private final Event<RunnerSlotsFreedEvent> freed;
  private final String instance;
  private final AtomicBoolean started = new AtomicBoolean();
  private final PeriodicTask reading =
      new PeriodicTask(
          "runner-pools", EVERY, "runner pools: cannot be synchronized, retrying", this::round);

  RunnerPoolSynchronizer(
      RunnerPoolRepository pools,
      LauncherRegistry launchers,
      WarmRunnerPool warm,
      LauncherCapacityLimiter capacity,
      Event<RunnerSlotsFreedEvent> freed,
      OrchestratorConfig config) {
    this.pools = pools;
    this.launchers = launchers;
    this.warm = warm;
    this.capacity = capacity;
    this.freed = freed;
    this.instance = config.instanceId();
  }

  /** Starts the rounds, once the runners of an earlier process are adopted. Idempotent. */
  void start() {
    if (started.compareAndSet(false, true)) {
      reading.start();
      reading.wake();
    }
  }

  void stop() {
    reading.stop();
  }

  /** Starts the next round now. */
  void wake() {
    reading.wake();
  }

  void on(@Observes ReplicaMessage message) {
    if (message instanceof ReplicaMessage.RunnerPoolsChanged) {
      wake();
    }
  }

  void on(@Observes ReplicaBusReconnectedEvent event) {
    wake();
  }

  /** Reads the pools and defines them at the launchers; starts and stops no runner. */
  RunnerPoolRepository.Snapshot load() {
    RunnerPoolRepository.Snapshot snapshot = pools.read();
    List<LauncherRegistry.ResourcePool> defined = new ArrayList<>();
    for (RunnerPoolRepository.Entry entry : snapshot.pools()) {
      definition(entry)
          .ifPresent(
              pool ->
                  defined.add(
                      new LauncherRegistry.ResourcePool(
                          pool,
                          pool.share(snapshot.replicas(), snapshot.index()),
                          entry.removed())));
    }
    if (launchers.define(defined)) {
      // A run that waits may fit a new pool, or one that has grown.
      freed.fire(new RunnerSlotsFreedEvent());
    }
    return snapshot;
  }

  /** Returns the definition of a stored pool; empty when this version does not accept it. */
  static Optional<RunnerPoolDefinition> definition(RunnerPoolRepository.Entry entry) {
    try {
      return Optional.of(
          RunnerPoolParser.parse(
              entry.name(),
              entry.definition(),
              owner(entry.name(), entry.uid()),
              entry.launcher()));
    } catch (RuntimeException e) {
      // Accepted by another version.
      LOG.warnf("runner pool %s of launcher %s: ignored: %s", entry.name(), entry.launcher(), e);
      return Optional.empty();
    }
  }

  /** Returns the resource of a pool as the owner of its runners. */
  static RunnerPoolTemplate.Owner owner(String name, String uid) {
    return new RunnerPoolTemplate.Owner("baton.dev/v1alpha1", "RunnerPool", name, uid);
  }

  private void round() {
    RunnerPoolRepository.Snapshot snapshot = load();
    warm.resize();
    boolean anyRemoved = false;
    for (RunnerPoolRepository.Entry entry : snapshot.pools()) {
      anyRemoved |= entry.removed();
      record(entry);
    }
    if (anyRemoved) {
      pools.clean();
    }
  }

  /** Stores a refusal of this replica's starts; one of another replica is left to that one. */
  private void record(RunnerPoolRepository.Entry entry) {
    @Nullable LaunchRefusal refusal = capacity.refusal(entry.launcher(), entry.name()).orElse(null);
    boolean isOwn = entry.refusedBy() == null || entry.refusedBy().equals(instance);
    if (refusal == null
        ? isOwn && entry.refusal() != null
        : !Objects.equals(refusal, entry.refusal())) {
      pools.refused(entry.launcher(), entry.name(), refusal);
    }
  }
}
