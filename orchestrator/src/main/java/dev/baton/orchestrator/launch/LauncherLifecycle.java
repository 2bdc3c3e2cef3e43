/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.LaunchException;
import dev.baton.launcher.RunnerLauncher;
import dev.baton.protocol.retry.Backoff;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Starts and stops the launchers with the service. At startup it adopts the runners of a previous
 * orchestrator process, or records that they have exited. At an orderly shutdown it stops the
 * runners of launchers whose runners do not outlive the orchestrator: they save their work, and
 * their runs continue after the next start. After a crash of the orchestrator all runners keep
 * running.
 */
@ApplicationScoped
class LauncherLifecycle {
  private static final Logger LOG = Logger.getLogger(LauncherLifecycle.class);

  /**
   * Less than the 20 s that a supervisor allows this service, more than the 14 s that a runner
   * needs.
   */
  private static final Duration GRACE = Duration.ofSeconds(15);

  private static final Duration POLL = Duration.ofMillis(20);
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(200);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(5);
  private static final int PATIENT_FAILURES = 5;

  private final LaunchedRunnerRepository table;
  private final LauncherRegistry launchers;
  private final LaunchedRunnerWatcher watch;
  private final RunnerAdopter adopter;
  private final SharedRunnerPool pool;
  private final WarmRunnerPool warm;
  private final RunnerPoolSynchronizer pools;
  private final RunnerHandoverService handovers;
  private final RunLauncher launcher;
  private final CountDownLatch stopped = new CountDownLatch(1);

  LauncherLifecycle(
      LaunchedRunnerRepository table,
      LauncherRegistry launchers,
      LaunchedRunnerWatcher watch,
      RunnerAdopter adopter,
      SharedRunnerPool pool,
      WarmRunnerPool warm,
      RunnerPoolSynchronizer pools,
      RunnerHandoverService handovers,
      RunLauncher launcher) {
    this.table = table;
    this.launchers = launchers;
    this.watch = watch;
    this.adopter = adopter;
    this.pool = pool;
    this.warm = warm;
    this.pools = pools;
    this.handovers = handovers;
    this.launcher = launcher;
  }

  void onStart(@Observes @Priority(2000) StartupEvent event) {
    launchers.launchers().values().forEach(found -> found.observe(watch));
    Thread.ofVirtual().name("adopt-runners").start(this::adopt);
  }

  /**
   * Retries until it succeeds: the exit of an unwatched runner is detected only by its missed
   * heartbeats.
   */
  private void adopt() {
    Set<String> settled = new HashSet<>();
    Backoff backoff = Backoff.exponential(FIRST_BACKOFF, MAX_BACKOFF);
    int failures = 0;
    do {
      try {
        pools.load(); // The places of their runners.
        takeUp(settled);
        fill();
        return;
      } catch (LaunchException | RuntimeException e) {
        LOG.warnf("cannot re-adopt running runners yet, retrying: %s", e);
      }
      if (++failures == PATIENT_FAILURES) {
        fill(); // New runs need runners even so.
      }
    } while (!isStoppedWithin(backoff.next()));
  }

  private void fill() {
    pool.fill();
    warm.fill();
    pools.start();
  }

  private boolean isStoppedWithin(Duration time) {
    try {
      return stopped.await(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /**
   * A launcher that does not answer is queried once; the runners of the others are adopted.
   *
   * @param settled the runners that are done and are skipped at the next attempt
   * @throws LaunchException when runners of a launcher are left
   */
  private void takeUp(Set<String> settled) throws LaunchException {
    Map<String, LaunchException> away = new HashMap<>();
    for (LaunchedRunnerRepository.Entry entry : table.alive()) {
      if (!settled.contains(entry.id())
          && !watch.watched().containsKey(entry.id())
          && !away.containsKey(entry.launcher())) {
        try {
          adopter.adopt(entry);
          settled.add(entry.id());
        } catch (LaunchException e) {
          away.put(entry.launcher(), e);
        }
      }
    }
    if (!away.isEmpty()) {
      throw away.values().iterator().next();
    }
  }

  void onStop(@Observes @Priority(10) ShutdownEvent event) throws InterruptedException {
    stopped.countDown();
    launcher.stop();
    pools.stop();
    pool.stop();
    warm.stop();
    watch.stop();
    launchers.launchers().values().forEach(RunnerLauncher::close);
    Map<String, LaunchedRunnerWatcher.WatchedRunner> ending = new HashMap<>(watch.watched());
    ending.values().removeIf(known -> known.launcher().capabilities().outlivesOrchestrator());
    handovers.stop(ending.keySet());
    ending.forEach((runner, known) -> known.launcher().stop(runner));
    long end = System.nanoTime() + GRACE.toNanos();
    while (true) {
      ending.values().removeIf(known -> !known.isAlive());
      if (ending.isEmpty() || System.nanoTime() > end) {
        break;
      }
      TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
    }
    ending.forEach(
        (runner, known) -> {
          LOG.warnf("runner %s did not stop within %s and is killed", runner, GRACE);
          known.launcher().kill(runner);
        });
  }
}
