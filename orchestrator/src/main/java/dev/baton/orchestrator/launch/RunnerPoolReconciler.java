/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import com.github.f4b6a3.ulid.UlidCreator;
import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchSpec;
import dev.baton.orchestrator.gateway.RunnerConnection;
import dev.baton.orchestrator.scheduling.DelayedTask;
import dev.baton.protocol.retry.Backoff;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jboss.logging.Logger;

/**
 * Keeps a number of runners of one mode alive in one place. Replaces a runner that dies early with
 * an increasing delay. Thread-safe.
 */
final class RunnerPoolReconciler {
  private static final Logger LOG = Logger.getLogger(RunnerPoolReconciler.class);
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(200);
  private static final Duration MAX_BACKOFF = Duration.ofMillis(25_600);
  private static final Duration GOOD_LIFE = Duration.ofSeconds(30);

  /**
   * @param mode passed to the runner and stored in its row
   * @param prefix of the runners' names
   * @param slots per runner
   * @param size the number of runners
   * @param place in which they are started
   */
  record Kind(RunnerConnection.Mode mode, String prefix, int slots, int size, RunnerPlace place) {}

  private final RunnerStarter starter;
  private final RunnerEnvironmentFactory environments;
  private final LaunchedRunnerWatcher watch;
  private final LaunchPermitFactory permits;
  private volatile Kind kind;
  private final Predicate<String> counts;
  private final AtomicInteger youngDeaths = new AtomicInteger();
  private volatile long lastStartNanos;
  private volatile boolean waiting;
  private volatile boolean stopping;

  /**
   * @param counts whether a live runner counts toward the configured number
   */
  RunnerPoolReconciler(
      RunnerStarter starter,
      RunnerEnvironmentFactory environments,
      LaunchedRunnerWatcher watch,
      LaunchPermitFactory permits,
      Kind kind,
      Predicate<String> counts) {
    this.starter = starter;
    this.environments = environments;
    this.watch = watch;
    this.permits = permits;
    this.kind = kind;
    this.counts = counts;
  }

  /** Starts the missing runners. */
  void fill() {
    while (startIfMissing()) {
      // Starts one per iteration.
    }
  }

  /** Like {@link #fill}, after a delay, on its own thread. */
  void fillAfter(Duration delay) {
    if (!stopping) {
      DelayedTask.run(kind.prefix() + "refill", delay, this::fill);
    }
  }

  RunnerPlace place() {
    return kind.place();
  }

  int size() {
    return kind.size();
  }

  /** Replaces the number of runners, and the settings of the place; takes effect with a fill. */
  synchronized void resize(int size, RunnerPlace place) {
    kind = new Kind(kind.mode(), kind.prefix(), kind.slots(), size, place);
  }

  /** Returns the live runners that count toward the configured number. */
  Map<String, LaunchedRunnerWatcher.WatchedRunner> alive() {
    Map<String, LaunchedRunnerWatcher.WatchedRunner> alive = new HashMap<>(watch.watched());
    Kind now = kind;
    alive
        .entrySet()
        .removeIf(
            runner ->
                !runner.getKey().startsWith(now.prefix())
                    || !runner.getValue().place().equals(now.place())
                    || !counts.test(runner.getKey()));
    return alive;
  }

  void stop() {
    stopping = true;
  }

  /** Replaces a runner that died without being stopped. */
  void died() {
    boolean young = System.nanoTime() - lastStartNanos < GOOD_LIFE.toNanos();
    int deaths = young ? youngDeaths.incrementAndGet() : 0;
    if (!young) {
      youngDeaths.set(0);
    }
    // The first death is replaced without delay.
    fillAfter(deaths <= 1 ? Duration.ZERO : Backoff.delay(FIRST_BACKOFF, MAX_BACKOFF, deaths - 1));
  }

  /** Resets the delay: a runner has done its work. */
  void wasOfUse() {
    youngDeaths.set(0);
  }

  /** Synchronized, so that two threads do not replace the same runner twice. */
  private synchronized boolean startIfMissing() {
    if (stopping || alive().size() >= kind.size()) {
      return false;
    }
    // Set before the attempt, so that a permit freed in between is not missed.
    waiting = true;
    Optional<LaunchPermit> permit = permits.takeForPool(kind.place());
    waiting = permit.isEmpty();
    return permit.flatMap(this::startOne).isPresent();
  }

  /** Retries after a permit for a start may have become free. */
  void onRoom() {
    if (waiting) {
      waiting = false;
      fillAfter(Duration.ZERO);
    }
  }

  /**
   * Starts a runner beyond the configured number; returns its name. Waits this long for a permit.
   */
  Optional<String> startExtra(Duration within) throws InterruptedException {
    return stopping
        ? Optional.empty()
        : permits.takeForPool(kind.place(), within).flatMap(this::startOne);
  }

  /** Returns its name; empty when it could not be started, which is retried later. */
  private Optional<String> startOne(LaunchPermit permit) {
    String runner =
        kind.prefix() + UlidCreator.getMonotonicUlid().toString().toLowerCase(Locale.ROOT);
    lastStartNanos = System.nanoTime();
    try {
      LaunchSpec spec = environments.pooled(runner, kind.mode(), kind.slots(), kind.place());
      starter.record(spec, kind.mode(), kind.place());
      starter.start(spec, kind.mode(), permit);
      return Optional.of(runner);
    } catch (LaunchException e) {
      permit.ended();
      if (LaunchRefusal.of(e).isEmpty()) {
        retryLater(e);
        return Optional.empty();
      }
      LOG.infof(
          "launcher %s, pool %s: cannot start a %s runner, waits: %s",
          kind.place().launcher(), kind.place().pool(), kind.mode().word(), e.getMessage());
      starter.forget(runner);
      waiting = true; // Woken when the launcher may be tried again.
      return Optional.empty();
    } catch (RuntimeException e) {
      permit.ended();
      retryLater(e);
      return Optional.empty();
    }
  }

  private void retryLater(Exception e) {
    LOG.errorf("cannot start a %s runner, retrying: %s", kind.mode().word(), e.getMessage());
    int deaths = youngDeaths.incrementAndGet();
    fillAfter(Backoff.delay(FIRST_BACKOFF, MAX_BACKOFF, deaths + 1));
  }
}
