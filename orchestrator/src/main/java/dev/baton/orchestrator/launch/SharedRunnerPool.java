/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.gateway.RunnerConnection;
import dev.baton.orchestrator.outbox.RunnerSlotsFreedEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;

/** Manages shared runners, which carry many light runs. */
@ApplicationScoped
class SharedRunnerPool {
  private static final Logger LOG = Logger.getLogger(SharedRunnerPool.class);
  private static final String PREFIX = "pool-";

  private final RunnerProcessLauncher processes;
  private final RunnerPoolReconciler keeper;

  /** Runners that will end soon; they are replaced before their end. */
  private final Set<String> leaving = ConcurrentHashMap.newKeySet();

  SharedRunnerPool(
      RunnerProcessLauncher processes,
      RunnerProcessRepository table,
      RunnerProcessWatcher watch,
      LaunchLimiter room,
      OrchestratorConfig config) {
    this.processes = processes;
    keeper =
        new RunnerPoolReconciler(
            processes,
            table,
            watch,
            room,
            new RunnerPoolReconciler.Kind(
                RunnerConnection.Mode.SHARED,
                PREFIX,
                config.runner().slots(),
                config.launcher().pool().size()),
            runner -> !leaving.contains(runner));
  }

  /** Starts the missing runners. */
  void fill() {
    if (!processes.canStart()) {
      LOG.info("baton.launcher.process.command is not set: runners must be started externally");
      return;
    }
    keeper.fill();
  }

  void stop() {
    keeper.stop();
  }

  /** Starts a runner in place of one that will end soon. */
  void replace(String runner) {
    if (processes.canStart() && leaving.add(runner)) {
      keeper.fill();
    }
  }

  void onRoom(@Observes RunnerSlotsFreedEvent event) {
    keeper.onRoom();
  }

  void onGone(@Observes RunnerProcessWatcher.RunnerGone gone) {
    if (gone.mode() == RunnerConnection.Mode.SHARED && !leaving.remove(gone.runner())) {
      keeper.died();
    }
  }
}
