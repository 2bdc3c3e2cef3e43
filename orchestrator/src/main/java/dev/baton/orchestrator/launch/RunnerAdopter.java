/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.RunnerLauncher;
import dev.baton.launcher.RunnerPhase;
import dev.baton.orchestrator.gateway.RunnerConnection;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import org.jboss.logging.Logger;

/** Adopts runners that another orchestrator process has started. Thread-safe. */
@ApplicationScoped
class RunnerAdopter {
  private static final Logger LOG = Logger.getLogger(RunnerAdopter.class);

  private final LaunchedRunnerRepository table;
  private final LauncherRegistry launchers;
  private final LaunchedRunnerWatcher watch;
  private final LaunchPermitFactory permits;
  private final WarmRunnerPool warm;

  RunnerAdopter(
      LaunchedRunnerRepository table,
      LauncherRegistry launchers,
      LaunchedRunnerWatcher watch,
      LaunchPermitFactory permits,
      WarmRunnerPool warm) {
    this.table = table;
    this.launchers = launchers;
    this.watch = watch;
    this.permits = permits;
    this.warm = warm;
  }

  /**
   * Watches the runner, or records that it has exited. Idempotent.
   *
   * @throws LaunchException when its launcher cannot be queried; then to be repeated
   */
  void adopt(LaunchedRunnerRepository.Entry entry) throws LaunchException {
    Optional<RunnerLauncher> of = launchers.launcher(entry.launcher());
    Optional<RunnerPlace> place = launchers.place(entry.launcher(), entry.pool());
    if (of.isEmpty() || place.isEmpty()) {
      LOG.warnf(
          "runner %s: its launcher '%s' is not configured any more; only its heartbeats are watched",
          entry.id(), entry.launcher());
      return;
    }
    // First: its launcher may report its exit before the adoption has returned.
    LaunchPermit permit = permits.adopt(place.get());
    if (!watch.expectAdopted(entry.id(), entry.mode(), permit, of.get())) {
      permit.ended();
      return;
    }
    boolean kept = false;
    try {
      LaunchedRunner found = of.get().adopt(entry.id(), entry.handle());
      kept = found.phase() != RunnerPhase.GONE;
      if (found.phase().isLive()) {
        LOG.infof("runner %s is still running, %s", entry.id(), found.handle());
        if (entry.mode() == RunnerConnection.Mode.WARM && entry.run() != null) {
          warm.adopt(entry.id());
        }
        watch.started(found);
        if (entry.handle() == null) {
          table.launched(found);
        }
      } else if (found.phase() == RunnerPhase.GONE
          && (entry.state() != LaunchedRunnerState.STARTING
              || entry.mode() != RunnerConnection.Mode.ISOLATED)) {
        watch.absent(entry.id());
      }
    } finally {
      if (!kept) {
        watch.notStarted(entry.id());
      }
    }
    // The exit of an ended one is reported to the watcher. An isolated runner that was never
    // started is still pending in the outbox.
  }
}
