/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.LaunchException;
import dev.baton.server.PeriodicTask;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jboss.logging.Logger;

/**
 * Adopts the runners of dead replicas, where runners outlive their orchestrator. Otherwise their
 * exits would only be detected by missed heartbeats. Checks every 2 s; of several replicas, the one
 * that changes a runner's row adopts it.
 */
@ApplicationScoped
class DeadReplicaWatcher {
  private static final Logger LOG = Logger.getLogger(DeadReplicaWatcher.class);
  private static final Duration EVERY = Duration.ofSeconds(2);

  private final LaunchedRunnerRepository table;
  private final RunnerAdopter adopter;
  private final Set<String> lasting;

  /** Taken over and not adopted yet, by name; only used by the task. */
  private final Map<String, LaunchedRunnerRepository.Entry> pending = new HashMap<>();

  private final PeriodicTask task =
      new PeriodicTask(
          "dead-replicas",
          EVERY,
          "runners of dead replicas: cannot be adopted, retrying",
          this::adopt);

  DeadReplicaWatcher(
      LaunchedRunnerRepository table, RunnerAdopter adopter, LauncherRegistry launchers) {
    this.table = table;
    this.adopter = adopter;
    this.lasting = launchers.lasting();
  }

  void onStart(@Observes @Priority(3000) StartupEvent event) {
    if (!lasting.isEmpty()) {
      task.start();
    }
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    task.stop();
  }

  private void adopt() {
    table.takeOver(lasting).forEach(runner -> pending.put(runner.id(), runner));
    Set<String> away = new HashSet<>();
    for (LaunchedRunnerRepository.Entry runner : Map.copyOf(pending).values()) {
      if (away.contains(runner.launcher())) {
        continue; // Each query may take as long as its timeout.
      }
      try {
        adopter.adopt(runner);
        pending.remove(runner.id());
      } catch (LaunchException e) {
        away.add(runner.launcher());
        LOG.warnf(
            "runner %s of a dead replica: cannot be adopted yet, retrying: %s", runner.id(), e);
      }
    }
  }
}
