/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.orchestrator.gateway.RunnerConnection;
import dev.baton.orchestrator.gateway.RunnerProperties;
import dev.baton.orchestrator.gateway.RunnerRegistry;
import dev.baton.orchestrator.outbox.RunnerSlotsFreedEvent;
import dev.baton.orchestrator.scheduling.DelayedTask;
import dev.baton.protocol.workflow.RunnerSelector;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;

/**
 * Manages idle runners for isolated runs: attached, connected, and without a run. A warm runner is
 * assigned one run, serves it and exits; another replaces it in the pool. When none is idle, a
 * process is started for the run. Thread-safe.
 */
@ApplicationScoped
class WarmRunnerPool {
  private static final String PREFIX = "warm-";

  /**
   * Time without a start of an isolated run before the pool is refilled. A start takes seconds of
   * CPU time, which the runs that were just assigned or started need more.
   */
  private static final Duration QUIET = Duration.ofSeconds(2);

  private static final Logger LOG = Logger.getLogger(WarmRunnerPool.class);
  private static final Duration RESERVED = Duration.ofMinutes(1);

  private final RunnerRegistry attachments;
  private final List<RunnerPoolReconciler> keepers = new ArrayList<>();

  /** Reserved runners by run that will soon lose its runner. */
  private final Map<String, RunnerConnection> reserved = new ConcurrentHashMap<>();

  private final AtomicBoolean refilling = new AtomicBoolean();
  private volatile long startedNanos;

  /** Runners that have a run, until they exit. */
  private final Set<String> given = ConcurrentHashMap.newKeySet();

  WarmRunnerPool(
      LauncherRegistry launchers,
      RunnerStarter starter,
      RunnerEnvironmentFactory environments,
      LaunchedRunnerWatcher watch,
      RunnerRegistry attachments,
      LaunchPermitFactory permits) {
    this.attachments = attachments;
    for (RunnerPlace place : launchers.startable()) {
      keepers.add(
          new RunnerPoolReconciler(
              starter,
              environments,
              watch,
              permits,
              new RunnerPoolReconciler.Kind(
                  RunnerConnection.Mode.WARM, PREFIX, 1, place.warm(), place),
              runner -> !given.contains(runner)));
    }
  }

  static boolean isName(String runner) {
    return runner.startsWith(PREFIX);
  }

  /** Starts the missing runners. */
  void fill() {
    keepers.forEach(RunnerPoolReconciler::fill);
  }

  void stop() {
    keepers.forEach(RunnerPoolReconciler::stop);
  }

  /** Delays the refill: an isolated run gets a process started for it. */
  void startedCold() {
    startedNanos = System.nanoTime();
  }

  /**
   * Takes the only slot of a runner for the run: of the {@link #reserve reserved} one, or of an
   * idle one that is selected; empty when all are busy or starting.
   */
  Optional<RunnerConnection> take(String run, RunnerSelector selector) {
    RunnerConnection kept = reserved.remove(run);
    return kept != null && isAttached(kept)
        ? Optional.of(kept)
        : attachments.takeWarm(runner -> runner.properties().fits(selector));
  }

  private boolean isAttached(RunnerConnection runner) {
    return attachments.runner(runner.runner()).filter(known -> known == runner).isPresent();
  }

  /**
   * Reserves an idle runner like the leaving one for its run for 1 min; starts one when none is
   * idle. Blocks.
   *
   * @param within timeout of the start
   */
  void reserve(String run, RunnerConnection leaving, Duration within) {
    Optional<RunnerConnection> idle =
        attachments.takeWarm(runner -> runner.properties().replaces(leaving.properties()));
    if (idle.isEmpty()) {
      idle =
          keepers.stream()
              .filter(keeper -> isPlaceOf(leaving.properties(), keeper.place()))
              .findFirst()
              .flatMap(keeper -> started(keeper, run, within));
    }
    idle.ifPresent(
        runner -> {
          reserved.put(run, runner);
          DelayedTask.run("reserved-" + run, RESERVED, () -> expire(run, runner));
        });
  }

  private static boolean isPlaceOf(RunnerProperties runner, RunnerPlace place) {
    return runner.launcher().isEmpty() || place.is(runner.launcher(), runner.pool());
  }

  private Optional<RunnerConnection> started(
      RunnerPoolReconciler keeper, String run, Duration within) {
    long end = System.nanoTime() + within.toNanos();
    try {
      Optional<String> runner = keeper.startExtra(within);
      if (runner.isEmpty()) {
        return Optional.empty();
      }
      attachments.expect(runner.get()).get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      return attachments.runner(runner.get()).filter(attachments::takeSlot);
    } catch (TimeoutException | ExecutionException e) {
      LOG.infof("run %s: no successor is ready within %s: %s", run, within, e);
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private void expire(String run, RunnerConnection runner) {
    if (reserved.remove(run, runner)) {
      attachments.giveBack(runner);
    }
  }

  /** Marks the runner as assigned; another one is started in its place. */
  void gave(String runner) {
    startedNanos = System.nanoTime();
    if (given.add(runner)) {
      keepers.forEach(RunnerPoolReconciler::wasOfUse);
      fillWhenQuiet();
    }
  }

  private void fillWhenQuiet() {
    if (refilling.compareAndSet(false, true)) {
      fillIn(QUIET);
    }
  }

  private void fillIn(Duration delay) {
    DelayedTask.run(
        "warm-refill",
        delay,
        () -> {
          Duration left = QUIET.minusNanos(System.nanoTime() - startedNanos);
          if (left.isPositive()) {
            fillIn(left);
            return;
          }
          refilling.set(false);
          fill();
        });
  }

  /** Adopts a runner to which a previous orchestrator process assigned a run. */
  void adopt(String runner) {
    given.add(runner);
  }

  void onRoom(@Observes RunnerSlotsFreedEvent event) {
    keepers.forEach(RunnerPoolReconciler::onRoom);
  }

  void onGone(@Observes LaunchedRunnerWatcher.RunnerGone gone) {
    if (gone.mode() == RunnerConnection.Mode.WARM && !given.remove(gone.runner())) {
      keepers.stream()
          .filter(keeper -> keeper.place().equals(gone.place()))
          .forEach(RunnerPoolReconciler::died);
    }
  }
}
