/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.gateway.RunnerConnection;
import dev.baton.orchestrator.gateway.RunnerRegistry;
import dev.baton.orchestrator.outbox.RunnerSlotsFreedEvent;
import dev.baton.orchestrator.scheduling.DelayedTask;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
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
 * Idle runners for isolated runs: attached, connected, and without a run. One is given one run,
 * serves it and ends; another takes its place in the pool. Where none is idle a run gets a process
 * that is started for it. Thread-safe.
 */
@ApplicationScoped
class WarmRunnerPool {
  static final String MODE = "warm";
  private static final String PREFIX = "warm-";

  /**
   * For so long no isolated run must have been started before what is missing is. A start takes a
   * processor for seconds, which the runs that were just given away, or get a process of their own
   * because none is idle, need more.
   */
  private static final Duration QUIET = Duration.ofSeconds(2);

  private static final Logger LOG = Logger.getLogger(WarmRunnerPool.class);
  private static final Duration RESERVED = Duration.ofMinutes(1);

  private final RunnerProcessLauncher processes;
  private final RunnerRegistry attachments;
  private final RunnerPoolReconciler keeper;

  /** By run that is about to lose its runner. */
  private final Map<String, RunnerConnection> reserved = new ConcurrentHashMap<>();

  private final AtomicBoolean refilling = new AtomicBoolean();
  private volatile long startedNanos;

  /** Those that have a run, until they have ended. */
  private final Set<String> given = ConcurrentHashMap.newKeySet();

  WarmRunnerPool(
      RunnerProcessLauncher processes,
      RunnerProcessRepository table,
      RunnerProcessWatcher watch,
      RunnerRegistry attachments,
      LaunchLimiter room,
      OrchestratorConfig config) {
    this.processes = processes;
    this.attachments = attachments;
    keeper =
        new RunnerPoolReconciler(
            processes,
            table,
            watch,
            room,
            new RunnerPoolReconciler.Kind(MODE, PREFIX, 1, config.launcher().warm().size()),
            runner -> !given.contains(runner));
  }

  static boolean isName(String runner) {
    return runner.startsWith(PREFIX);
  }

  /** Starts what is missing beside those that are watched. */
  void fill() {
    if (processes.canStart()) {
      keeper.fill();
    }
  }

  void stop() {
    keeper.stop();
  }

  /** An isolated run gets a process that is started for it: the pool has to wait. */
  void startedCold() {
    startedNanos = System.nanoTime();
  }

  /**
   * One for the run, its only slot taken: that which is {@link #reserve reserved} for it, or one
   * that is idle; empty where all are at work or still start.
   */
  Optional<RunnerConnection> take(String run) {
    RunnerConnection kept = reserved.remove(run);
    return kept != null && isAttached(kept) ? Optional.of(kept) : attachments.takeWarm();
  }

  private boolean isAttached(RunnerConnection runner) {
    return attachments.runner(runner.runner()).filter(known -> known == runner).isPresent();
  }

  /**
   * Keeps an idle one for the run, for a minute; where there is none, one is started. Blocks.
   *
   * @param within how long it may take to start
   */
  void reserve(String run, Duration within) {
    Optional<RunnerConnection> idle = attachments.takeWarm();
    if (idle.isEmpty() && processes.canStart()) {
      idle = started(run, within);
    }
    idle.ifPresent(
        runner -> {
          reserved.put(run, runner);
          DelayedTask.run("reserved-" + run, RESERVED, () -> expire(run, runner));
        });
  }

  private Optional<RunnerConnection> started(String run, Duration within) {
    long end = System.nanoTime() + within.toNanos();
    try {
      Optional<String> runner = keeper.startExtra(within);
      if (runner.isEmpty()) {
        return Optional.empty();
      }
      attachments.expect(runner.get()).get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      return attachments.runner(runner.get()).filter(attachments::takeSlot);
    } catch (TimeoutException | ExecutionException e) {
      LOG.infof("no other runner is ready for run %s within %s: %s", run, within, e);
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

  /** It has a run: another one is started in its place. */
  void gave(String runner) {
    startedNanos = System.nanoTime();
    if (given.add(runner)) {
      keeper.wasOfUse();
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
          keeper.fill();
        });
  }

  /** One of an earlier orchestrator, which had given it a run. */
  void adopt(String runner) {
    given.add(runner);
  }

  void onRoom(@Observes RunnerSlotsFreedEvent event) {
    keeper.onRoom();
  }

  void onGone(@Observes RunnerProcessWatcher.RunnerGone gone) {
    if (gone.mode().equals(MODE) && !given.remove(gone.runner())) {
      keeper.died();
    }
  }
}
