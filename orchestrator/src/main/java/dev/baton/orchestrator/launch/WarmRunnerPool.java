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
import dev.baton.orchestrator.replicas.ReplicaBus;
import dev.baton.orchestrator.replicas.ReplicaMessage;
import dev.baton.orchestrator.scheduling.DelayedTask;
import dev.baton.protocol.workflow.RunnerSelector;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
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

  /** After which a runner that is still alive is requested to stop again. */
  private static final Duration STOPPED = Duration.ofMinutes(1);

  private static final Duration SQL = Duration.ofSeconds(5);

  private final RunnerRegistry attachments;
  private final LauncherRegistry launchers;
  private final LaunchedRunnerWatcher watch;
  private final ReplicaBus bus;
  private final Function<RunnerPlace, RunnerPoolReconciler> factory;
  private final ConcurrentMap<RunnerPlace, RunnerPoolReconciler> keepersByPlace =
      new ConcurrentHashMap<>();

  /** Reserved runners by run that will soon lose its runner. */
  private final Map<String, RunnerConnection> reserved = new ConcurrentHashMap<>();

  private final AtomicBoolean refilling = new AtomicBoolean();
  private volatile long startedNanos;

  /** Idle runners that were requested to stop, and when. */
  private final Map<String, Long> ending = new ConcurrentHashMap<>();

  private volatile boolean stopping;

  /** Runners that have a run, until they exit. */
  private final Set<String> given = ConcurrentHashMap.newKeySet();

  WarmRunnerPool(
      LauncherRegistry launchers,
      RunnerStarter starter,
      RunnerEnvironmentFactory environments,
      LaunchedRunnerWatcher watch,
      RunnerRegistry attachments,
      LaunchPermitFactory permits,
      ReplicaBus bus) {
    this.attachments = attachments;
    this.launchers = launchers;
    this.watch = watch;
    this.bus = bus;
    this.factory =
        place ->
            new RunnerPoolReconciler(
                starter,
                environments,
                watch,
                permits,
                new RunnerPoolReconciler.Kind(
                    RunnerConnection.Mode.WARM, PREFIX, 1, place.warm(), place),
                runner -> !given.contains(runner) && !ending.containsKey(runner));
    launchers.startable().forEach(place -> keepersByPlace.put(place, factory.apply(place)));
  }

  private Collection<RunnerPoolReconciler> keepers() {
    return keepersByPlace.values();
  }

  static boolean isName(String runner) {
    return runner.startsWith(PREFIX);
  }

  /** Starts the missing runners. */
  void fill() {
    keepers().forEach(RunnerPoolReconciler::fill);
  }

  void stop() {
    stopping = true;
    keepers().forEach(RunnerPoolReconciler::stop);
  }

  /**
   * Brings the pools that resources describe to their present size: starts what is missing, and
   * stops idle runners beyond it. Those with a run finish it. Blocks for the starts.
   */
  void resize() {
    for (RunnerPlace place : launchers.resourcePlaces()) {
      RunnerPoolReconciler keeper = keepersByPlace.computeIfAbsent(place, factory);
      keeper.resize(place.warm(), place);
      if (!stopping) {
        keeper.fill();
        shrink(keeper);
      }
    }
    keepersByPlace
        .entrySet()
        .removeIf(
            keeper -> {
              boolean isGone =
                  !launchers.isKnown(keeper.getKey()) && keeper.getValue().alive().isEmpty();
              if (isGone) {
                keeper.getValue().stop();
              }
              return isGone;
            });
  }

  /** Stops first what has not started yet, since that costs nothing. */
  private void shrink(RunnerPoolReconciler keeper) {
    stopAgain(keeper.place());
    Map<String, LaunchedRunnerWatcher.WatchedRunner> alive = keeper.alive();
    alive.entrySet().stream()
        .sorted(
            Comparator.comparing(
                    (Map.Entry<String, LaunchedRunnerWatcher.WatchedRunner> runner) ->
                        runner.getValue().isRunning())
                .thenComparing(Map.Entry::getKey))
        .filter(runner -> stopIdle(runner.getKey(), runner.getValue()))
        .limit(Math.max(0, alive.size() - keeper.size()))
        .forEach(runner -> LOG.infof("runner %s: its pool needs it no more", runner.getKey()));
  }

  /** Returns false when it has a run, or none of its replicas has answered. */
  private boolean stopIdle(String runner, LaunchedRunnerWatcher.WatchedRunner known) {
    Optional<RunnerConnection> here = attachments.runner(runner);
    if (here.isEmpty() && known.isRunning()) {
      // It may have a run at the replica to which it is attached.
      try {
        bus.tell(new ReplicaMessage.StopIdle(runner)).await().atMost(SQL);
      } catch (RuntimeException e) {
        LOG.warnf("runner %s: cannot be stopped yet, retrying: %s", runner, e);
      }
      return true;
    }
    if (here.isPresent() && !attachments.takeSlot(here.get())) {
      return false;
    }
    ending.put(runner, System.nanoTime());
    known.launcher().stop(runner);
    return true;
  }

  /** A launcher gives up after a while, for example when its cluster does not answer. */
  private void stopAgain(RunnerPlace place) {
    watch
        .watched()
        .forEach(
            (runner, known) -> {
              Long since = ending.get(runner);
              if (since != null
                  && known.place().equals(place)
                  && System.nanoTime() - since > STOPPED.toNanos()) {
                ending.put(runner, System.nanoTime());
                known.launcher().stop(runner);
              }
            });
  }

  void on(@Observes ReplicaMessage message) {
    if (message instanceof ReplicaMessage.StopIdle(String runner)) {
      attachments
          .runner(runner)
          .filter(idle -> idle.mode() == RunnerConnection.Mode.WARM)
          .filter(attachments::takeSlot)
          .flatMap(idle -> launchers.launcher(idle.properties().launcher()))
          .ifPresent(launcher -> launcher.stop(runner));
    }
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
          keepers().stream()
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
      keepers().forEach(RunnerPoolReconciler::wasOfUse);
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
    keepers().forEach(RunnerPoolReconciler::onRoom);
  }

  void onGone(@Observes LaunchedRunnerWatcher.RunnerGone gone) {
    boolean requested = ending.remove(gone.runner()) != null;
    if (gone.mode() == RunnerConnection.Mode.WARM && !given.remove(gone.runner()) && !requested) {
      keepers().stream()
          .filter(keeper -> keeper.place().equals(gone.place()))
          .forEach(RunnerPoolReconciler::died);
    }
  }
}
