/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.RunnerLauncher;
import dev.baton.orchestrator.gateway.RunnerConnection;
import jakarta.enterprise.context.ApplicationScoped;
import org.jboss.logging.Logger;

/** Starts runners by their launchers, and records and watches them. Thread-safe. */
@ApplicationScoped
class RunnerStarter {
  private static final Logger LOG = Logger.getLogger(RunnerStarter.class);

  private final LauncherRegistry launchers;
  private final LaunchedRunnerRepository table;
  private final LaunchedRunnerWatcher watch;

  RunnerStarter(
      LauncherRegistry launchers, LaunchedRunnerRepository table, LaunchedRunnerWatcher watch) {
    this.launchers = launchers;
    this.table = table;
    this.watch = watch;
  }

  /**
   * Records the runner before it is started; returns false when it is recorded already, that is,
   * when the start is repeated.
   */
  boolean record(LaunchSpec spec, RunnerConnection.Mode mode, RunnerPlace place)
      throws LaunchException {
    return table.insert(spec, mode, place, launcher(place).logLocation(spec.runner()));
  }

  /** Removes the record of a runner that its launcher has refused to start. */
  void forget(String runner) {
    table.notStarted(runner);
  }

  /**
   * Starts a recorded runner, or finds it when it was started before.
   *
   * @param permit ended when the start fails; otherwise with the runner
   */
  LaunchedRunner start(LaunchSpec spec, RunnerConnection.Mode mode, LaunchPermit permit)
      throws LaunchException {
    boolean started = false;
    boolean watched = false;
    try {
      RunnerLauncher launcher = launcher(permit.place());
      watched = watch.expect(spec.runner(), mode, permit, launcher);
      LaunchedRunner runner = launcher.start(spec);
      started = true;
      permit.accepted();
      if (watched) {
        watch.started(runner);
      }
      table.launched(runner);
      LOG.infof(
          "%s runner %s started by launcher %s, %s",
          mode.word(), spec.runner(), permit.place().launcher(), runner.handle());
      return runner;
    } catch (LaunchException e) {
      LaunchRefusal.of(e).ifPresent(permit::refused);
      throw e;
    } finally {
      if (watched && !started) {
        watch.notStarted(spec.runner());
      }
      if (!watched || !started) {
        permit.ended();
      }
    }
  }

  private RunnerLauncher launcher(RunnerPlace place) throws LaunchException {
    return launchers
        .launcher(place.launcher())
        .orElseThrow(
            () ->
                new LaunchException.RejectedException(
                    "launcher '" + place.launcher() + "' is not configured"));
  }
}
