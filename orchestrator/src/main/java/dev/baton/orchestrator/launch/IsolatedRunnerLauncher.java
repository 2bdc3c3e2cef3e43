/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.orchestrator.gateway.RunControlState;
import dev.baton.orchestrator.gateway.RunnerConnection;
import dev.baton.orchestrator.lease.LeaseSigner;
import dev.baton.process.ProcessStartTime;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * Starts one process for one run and one epoch. Its name is derived from both, so there is only
 * one.
 */
@ApplicationScoped
class IsolatedRunnerLauncher {
  private static final Logger LOG = Logger.getLogger(IsolatedRunnerLauncher.class);
  private final RunnerProcessLauncher processes;
  private final RunnerProcessRepository table;
  private final RunnerProcessWatcher watch;
  private final LeaseSigner leases;

  IsolatedRunnerLauncher(
      RunnerProcessLauncher processes,
      RunnerProcessRepository table,
      RunnerProcessWatcher watch,
      LeaseSigner leases) {
    this.processes = processes;
    this.table = table;
    this.watch = watch;
    this.leases = leases;
  }

  static String name(String run, int epoch) {
    return run + "-" + epoch;
  }

  /**
   * @param start ended at once when no process is started
   * @return false when the process could not be started and the launch should be retried
   */
  boolean start(RunControlState run, String runner, LaunchLimiter.Start start) {
    String log = processes.log(runner).toString();
    if (!table.insert(runner, RunnerConnection.Mode.ISOLATED, run.run(), run.epoch(), log)) {
      RunnerProcessRepository.Entry before = table.find(runner).orElseThrow();
      if (before.state() != RunnerProcessState.STARTING) {
        start.end();
        return true; // Started before; its watcher reports the result.
      }
      Optional<RunnerProcessLauncher.Started> found = processes.findByName(runner);
      if (found.isPresent()) {
        table.running(runner, found.get().handle().pid(), found.get().startedAtMs());
        watch.stranger(runner, RunnerConnection.Mode.ISOLATED, found.get());
        start.end();
        return true;
      }
    }
    try {
      Process process =
          processes.start(
              new RunnerProcessLauncher.Spec(
                  runner,
                  RunnerConnection.Mode.ISOLATED,
                  1,
                  run.run(),
                  run.epoch(),
                  leases.mint(run.run(), run.epoch(), run.project())));
      watch.child(runner, RunnerConnection.Mode.ISOLATED, process, start);
      table.running(runner, process.pid(), ProcessStartTime.of(process.toHandle()));
      LOG.infof("run %s epoch %d: runner started, pid %d", run.run(), run.epoch(), process.pid());
      return true;
    } catch (IOException e) {
      start.end();
      LOG.errorf(
          "run %s epoch %d: cannot start a runner: %s", run.run(), run.epoch(), e.getMessage());
      return false;
    }
  }
}
