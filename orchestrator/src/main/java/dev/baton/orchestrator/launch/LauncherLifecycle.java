/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.orchestrator.gateway.RunnerConnection;
import dev.baton.process.ProcessStartTime;
import dev.baton.protocol.retry.Backoff;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;

/**
 * Starts and stops the launcher with the service. At startup it adopts the runner processes of a
 * previous orchestrator process, or records that they have exited. At an orderly shutdown it stops
 * its runners, which save their work; their runs continue after the next start. After a crash of
 * the orchestrator the runners keep running.
 */
@ApplicationScoped
class LauncherLifecycle {
  private static final Logger LOG = Logger.getLogger(LauncherLifecycle.class);

  /**
   * Less than the 20 s that a supervisor allows this service, more than the 14 s that a runner
   * needs.
   */
  private static final Duration GRACE = Duration.ofSeconds(15);

  private static final Duration FIRST_BACKOFF = Duration.ofMillis(200);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(5);
  private static final int PATIENT_FAILURES = 5;

  private final RunnerProcessRepository table;
  private final RunnerProcessLauncher processes;
  private final RunnerProcessWatcher watch;
  private final SharedRunnerPool pool;
  private final WarmRunnerPool warm;
  private final RunnerHandoverService handovers;
  private final RunLauncher launcher;
  private final CountDownLatch stopped = new CountDownLatch(1);

  LauncherLifecycle(
      RunnerProcessRepository table,
      RunnerProcessLauncher processes,
      RunnerProcessWatcher watch,
      SharedRunnerPool pool,
      WarmRunnerPool warm,
      RunnerHandoverService handovers,
      RunLauncher launcher) {
    this.table = table;
    this.processes = processes;
    this.watch = watch;
    this.pool = pool;
    this.warm = warm;
    this.handovers = handovers;
    this.launcher = launcher;
  }

  void onStart(@Observes @Priority(2000) StartupEvent event) {
    Thread.ofVirtual().name("adopt-runners").start(this::adopt);
  }

  /**
   * Retries until it succeeds: the exit of an unwatched process is detected only by its missed
   * heartbeats.
   */
  private void adopt() {
    Set<String> settled = new HashSet<>();
    Backoff backoff = Backoff.exponential(FIRST_BACKOFF, MAX_BACKOFF);
    int failures = 0;
    do {
      try {
        takeUp(settled);
        fill();
        return;
      } catch (RuntimeException e) {
        LOG.warnf("cannot re-adopt running runner processes yet, retrying: %s", e);
      }
      if (++failures == PATIENT_FAILURES) {
        fill(); // New runs need runners even so.
      }
    } while (!isStoppedWithin(backoff.next()));
  }

  private void fill() {
    pool.fill();
    warm.fill();
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
   * @param settled the runners that are done and are skipped at the next attempt
   */
  private void takeUp(Set<String> settled) {
    for (RunnerProcessRepository.Entry entry : table.alive()) {
      if (settled.contains(entry.id()) || watch.watched().containsKey(entry.id())) {
        continue;
      }
      Optional<RunnerProcessLauncher.Started> found = find(entry);
      if (found.isPresent()) {
        LOG.infof("runner %s is still running, pid %d", entry.id(), found.get().handle().pid());
        if (entry.mode() == RunnerConnection.Mode.WARM && entry.run() != null) {
          warm.adopt(entry.id());
        }
        watch.stranger(entry.id(), entry.mode(), found.get());
      } else if (entry.state() != RunnerProcessState.STARTING
          || entry.mode() != RunnerConnection.Mode.ISOLATED) {
        watch.absent(entry.id());
      }
      // An isolated runner that was never started is still pending in the outbox.
      settled.add(entry.id());
    }
  }

  private Optional<RunnerProcessLauncher.Started> find(RunnerProcessRepository.Entry entry) {
    Long pid = entry.pid();
    Long startedAt = entry.startedAtMs();
    if (pid == null || startedAt == null) {
      Optional<RunnerProcessLauncher.Started> found = processes.findByName(entry.id());
      found.ifPresent(
          started -> table.running(entry.id(), started.handle().pid(), started.startedAtMs()));
      return found;
    }
    return ProcessStartTime.alive(pid, startedAt)
        .map(handle -> new RunnerProcessLauncher.Started(handle, startedAt));
  }

  void onStop(@Observes @Priority(10) ShutdownEvent event) throws InterruptedException {
    stopped.countDown();
    launcher.stop();
    pool.stop();
    warm.stop();
    watch.stop();
    Map<String, ProcessHandle> running = watch.watched();
    handovers.stop(running.keySet());
    running.values().forEach(ProcessHandle::destroy);
    try {
      CompletableFuture.allOf(
              running.values().stream()
                  .map(ProcessHandle::onExit)
                  .toArray(CompletableFuture[]::new))
          .get(GRACE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.debugf("some runners are still running after %s", GRACE);
    } catch (ExecutionException e) {
      LOG.warnf("cannot wait for the exit of a runner: %s", e);
    }
    running.forEach(
        (runner, process) -> {
          if (process.isAlive()) {
            LOG.warnf("runner %s did not stop within %s and is killed", runner, GRACE);
            process.destroyForcibly();
          }
        });
  }
}
