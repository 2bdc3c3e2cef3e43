/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchSpec;
import dev.baton.orchestrator.gateway.RunControlState;
import dev.baton.orchestrator.gateway.RunnerConnection;
import jakarta.enterprise.context.ApplicationScoped;
import org.jboss.logging.Logger;

/**
 * Starts one runner for one run and one epoch. Its name is derived from both, so there is only one.
 */
@ApplicationScoped
class IsolatedRunnerLauncher {
  private static final Logger LOG = Logger.getLogger(IsolatedRunnerLauncher.class);
  private final RunnerStarter starter;
  private final RunnerEnvironmentFactory environments;
  private final LaunchedRunnerRepository table;
  private final LauncherRegistry launchers;
  private final LauncherCapacityLimiter capacity;

  IsolatedRunnerLauncher(
      RunnerStarter starter,
      RunnerEnvironmentFactory environments,
      LaunchedRunnerRepository table,
      LauncherRegistry launchers,
      LauncherCapacityLimiter capacity) {
    this.starter = starter;
    this.environments = environments;
    this.table = table;
    this.launchers = launchers;
    this.capacity = capacity;
  }

  static String name(String run, int epoch) {
    return run + "-" + epoch;
  }

  /** The result of a start. */
  sealed interface Result {
    /** Now or before. */
    record Started() implements Result {}

    /** The launcher has started nothing; another place may have room. */
    record Refused(RunnerPlace place, LaunchRefusal refusal) implements Result {}

    /** To be retried in the same place: the runner may exist there. */
    record Failed(RunnerPlace place, LaunchRefusal reason) implements Result {}
  }

  /**
   * @param permit ended at once when no runner is started
   */
  Result start(RunControlState run, String runner, LaunchPermit permit) {
    LaunchPermit owned = permit;
    try {
      LaunchSpec spec = spec(run, runner, owned.place());
      if (!starter.record(spec, RunnerConnection.Mode.ISOLATED, owned.place())) {
        LaunchedRunnerRepository.Entry before = table.find(runner).orElseThrow();
        if (before.state() != LaunchedRunnerState.STARTING) {
          owned.ended();
          return new Result.Started(); // Its watcher reports the end.
        }
        owned = recorded(before, owned);
        spec = spec(run, runner, owned.place());
      }
      starter.start(spec, RunnerConnection.Mode.ISOLATED, owned);
      return new Result.Started();
    } catch (LaunchException e) {
      owned.ended();
      return failed(run, owned.place(), e);
    } catch (RuntimeException e) {
      owned.ended();
      throw e;
    }
  }

  private static Result failed(RunControlState run, RunnerPlace place, LaunchException e) {
    if (e instanceof LaunchException.UnavailableException away) {
      LOG.errorf(
          "run %s epoch %d: cannot start a runner, retrying: %s",
          run.run(), run.epoch(), e.getMessage());
      return new Result.Failed(place, LaunchRefusal.unavailable(away));
    }
    LaunchRefusal refusal = LaunchRefusal.of(e).orElseThrow();
    LOG.infof(
        "run %s epoch %d: waits for launcher %s, pool %s: %s",
        run.run(), run.epoch(), place.launcher(), place.pool(), e.getMessage());
    return new Result.Refused(place, refusal);
  }

  /** A repeated start uses the place that was recorded: the runner may exist there. */
  private LaunchPermit recorded(LaunchedRunnerRepository.Entry before, LaunchPermit permit) {
    if (permit.place().is(before.launcher(), before.pool())) {
      return permit;
    }
    return launchers
        .place(before.launcher(), before.pool())
        .map(
            place -> {
              permit.slot().end();
              return new LaunchPermit(capacity.adopt(place), permit.start());
            })
        .orElse(permit);
  }

  private LaunchSpec spec(RunControlState run, String runner, RunnerPlace place) {
    return environments.isolated(runner, run.run(), run.epoch(), run.project(), place);
  }
}
