/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

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
 * What the launcher does when the service starts and stops. At start it takes up the processes of
 * an earlier orchestrator, or sees that they are gone. At an orderly stop it ends its runners,
 * which save their work; their runs go on after the next start. After a crash they have never
 * stopped.
 */
@ApplicationScoped
class LauncherLifecycle {
  private static final Logger LOG = Logger.getLogger(LauncherLifecycle.class);

  /** Less than what a supervisor gives this service (20 s), more than a runner needs (14 s). */
  private static final Duration GRACE = Duration.ofSeconds(15);

  private static final long FIRST_BACKOFF_MILLIS = 200;
  private static final long MAX_BACKOFF_MILLIS = 5_000;
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

  /** Until it has been done: runs of processes that nobody watches would only be missed in time. */
  private void adopt() {
    Set<String> settled = new HashSet<>();
    long pause = FIRST_BACKOFF_MILLIS / 2;
    int failures = 0;
    do {
      try {
        takeUp(settled);
        fill();
        return;
      } catch (RuntimeException e) {
        LOG.warnf("the runners of before cannot be taken up yet: %s", e);
      }
      if (++failures == PATIENT_FAILURES) {
        fill(); // New runs need it all the same.
      }
      pause = Math.min(MAX_BACKOFF_MILLIS, 2 * pause);
    } while (!isStoppedWithin(pause));
  }

  private void fill() {
    pool.fill();
    warm.fill();
  }

  private boolean isStoppedWithin(long millis) {
    try {
      return stopped.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /**
   * @param settled those that need nothing more when this is repeated
   */
  private void takeUp(Set<String> settled) {
    for (RunnerProcessRepository.Entry entry : table.alive()) {
      if (settled.contains(entry.id()) || watch.watched().containsKey(entry.id())) {
        continue;
      }
      Optional<RunnerProcessLauncher.Started> found = find(entry);
      if (found.isPresent()) {
        LOG.infof("runner %s is still there, pid %d", entry.id(), found.get().handle().pid());
        if (entry.mode().equals(WarmRunnerPool.MODE) && entry.run() != null) {
          warm.adopt(entry.id());
        }
        watch.stranger(entry.id(), entry.mode(), found.get());
      } else if (!entry.state().equals("starting")
          || !entry.mode().equals(IsolatedRunnerLauncher.MODE)) {
        watch.absent(entry.id());
      }
      // An isolated one that was never started is still owed by the outbox.
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
    return RunnerProcessLauncher.alive(pid, startedAt)
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
      LOG.debugf("runners are left after %s", GRACE);
    } catch (ExecutionException e) {
      LOG.warnf("the end of a runner could not be awaited: %s", e);
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
