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
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;

/** Manages shared runners, which carry many light runs. */
@ApplicationScoped
class SharedRunnerPool {
  private static final Logger LOG = Logger.getLogger(SharedRunnerPool.class);
  private static final String PREFIX = "pool-";

  private final List<RunnerPoolReconciler> keepers = new ArrayList<>();

  /** Runners that will end soon; they are replaced before their end. */
  private final Set<String> leaving = ConcurrentHashMap.newKeySet();

  SharedRunnerPool(
      LauncherRegistry launchers,
      RunnerStarter starter,
      RunnerEnvironmentFactory environments,
      LaunchedRunnerWatcher watch,
      LaunchPermitFactory permits,
      OrchestratorConfig config) {
    for (RunnerPlace place : launchers.startable()) {
      keepers.add(
          new RunnerPoolReconciler(
              starter,
              environments,
              watch,
              permits,
              new RunnerPoolReconciler.Kind(
                  RunnerConnection.Mode.SHARED,
                  PREFIX,
                  config.runner().slots(),
                  place.shared(),
                  place),
              runner -> !leaving.contains(runner)));
    }
  }

  /** Starts the missing runners. */
  void fill() {
    if (keepers.isEmpty()) {
      LOG.info(
          "no launcher can start runners, for example since baton.launcher.process.command is not set: "
              + "runners must be started externally");
    }
    keepers.forEach(RunnerPoolReconciler::fill);
  }

  void stop() {
    keepers.forEach(RunnerPoolReconciler::stop);
  }

  /** Starts a runner in place of one that will end soon. */
  void replace(String runner) {
    if (!keepers.isEmpty() && leaving.add(runner)) {
      keepers.forEach(RunnerPoolReconciler::fill);
    }
  }

  void onRoom(@Observes RunnerSlotsFreedEvent event) {
    keepers.forEach(RunnerPoolReconciler::onRoom);
  }

  void onGone(@Observes LaunchedRunnerWatcher.RunnerGone gone) {
    if (gone.mode() == RunnerConnection.Mode.SHARED && !leaving.remove(gone.runner())) {
      keepers.stream()
          .filter(keeper -> keeper.place().equals(gone.place()))
          .forEach(RunnerPoolReconciler::died);
    }
  }
}
