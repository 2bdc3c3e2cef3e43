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
import java.util.Map;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * What the launcher does when the service starts and stops. At start it takes up the processes of
 * an earlier orchestrator, or sees that they are gone. At an orderly stop it ends its runners,
 * which save their work; their runs go on after the next start. After a crash they have never
 * stopped.
 */
@ApplicationScoped
class LaunchLife {
  private static final Logger LOG = Logger.getLogger(LaunchLife.class);
  private static final Duration GRACE = Duration.ofSeconds(8);
  private static final Duration LOOK = Duration.ofMillis(20);

  private final RunnerTable table;
  private final RunnerProcesses processes;
  private final RunnerWatch watch;
  private final SharedPool pool;
  private final Launcher launcher;

  LaunchLife(
      RunnerTable table,
      RunnerProcesses processes,
      RunnerWatch watch,
      SharedPool pool,
      Launcher launcher) {
    this.table = table;
    this.processes = processes;
    this.watch = watch;
    this.pool = pool;
    this.launcher = launcher;
  }

  void onStart(@Observes @Priority(2000) StartupEvent event) {
    Thread.ofVirtual().name("adopt-runners").start(this::adopt);
  }

  private void adopt() {
    int poolRunners = 0;
    for (RunnerTable.Entry entry : table.alive()) {
      Optional<RunnerProcesses.Started> found = find(entry);
      if (found.isPresent()) {
        LOG.infof("runner %s is still there, pid %d", entry.id(), found.get().handle().pid());
        watch.stranger(entry.id(), entry.mode(), found.get());
        poolRunners += entry.mode().equals(SharedPool.MODE) ? 1 : 0;
      } else if (!entry.state().equals("starting") || entry.mode().equals(SharedPool.MODE)) {
        watch.absent(entry.id());
      }
      // An isolated one that was never started is still owed by the outbox.
    }
    pool.fill(poolRunners);
  }

  private Optional<RunnerProcesses.Started> find(RunnerTable.Entry entry) {
    Long pid = entry.pid();
    Long startedAt = entry.startedAtMs();
    if (pid == null || startedAt == null) {
      Optional<RunnerProcesses.Started> found = processes.findByName(entry.id());
      found.ifPresent(
          started -> table.running(entry.id(), started.handle().pid(), started.startedAtMs()));
      return found;
    }
    return RunnerProcesses.alive(pid, startedAt)
        .map(handle -> new RunnerProcesses.Started(handle, startedAt));
  }

  void onStop(@Observes @Priority(10) ShutdownEvent event) throws InterruptedException {
    launcher.stop();
    pool.stop();
    watch.stop();
    Map<String, ProcessHandle> running = watch.watched();
    running.values().forEach(ProcessHandle::destroy);
    long end = System.nanoTime() + GRACE.toNanos();
    while (System.nanoTime() < end && running.values().stream().anyMatch(ProcessHandle::isAlive)) {
      Thread.sleep(LOOK);
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
