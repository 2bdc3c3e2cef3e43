/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import com.github.f4b6a3.ulid.UlidCreator;
import dev.baton.orchestrator.config.OrchestratorConfig;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.jboss.logging.Logger;

/**
 * Keeps the wanted number of pool runners alive. One that dies young is replaced ever more slowly.
 */
@ApplicationScoped
class SharedPool {
  private static final Logger LOG = Logger.getLogger(SharedPool.class);
  static final String MODE = "shared";
  private static final String PREFIX = "pool-";
  private static final long FIRST_BACKOFF_MILLIS = 200;
  private static final int MAX_DOUBLINGS = 7;
  private static final Duration GOOD_LIFE = Duration.ofSeconds(30);

  private final RunnerProcesses processes;
  private final RunnerTable table;
  private final RunnerWatch watch;
  private final OrchestratorConfig config;
  private final AtomicInteger youngDeaths = new AtomicInteger();
  private volatile long lastStartNanos;
  private volatile boolean stopping;

  SharedPool(
      RunnerProcesses processes, RunnerTable table, RunnerWatch watch, OrchestratorConfig config) {
    this.processes = processes;
    this.table = table;
    this.watch = watch;
    this.config = config;
  }

  /** Starts what is missing beside those that are watched. */
  void fill() {
    if (!processes.canStart()) {
      LOG.info("baton.launcher.process.command is not set: runners must attach by themselves");
      return;
    }
    startMissing();
  }

  void stop() {
    stopping = true;
  }

  void onGone(@Observes RunnerWatch.RunnerGone gone) {
    if (!gone.mode().equals(MODE) || stopping) {
      return;
    }
    boolean young = System.nanoTime() - lastStartNanos < GOOD_LIFE.toNanos();
    int deaths = young ? youngDeaths.incrementAndGet() : 0;
    if (!young) {
      youngDeaths.set(0);
    }
    // The first death is an accident and costs no time.
    long delay = deaths <= 1 ? 0 : FIRST_BACKOFF_MILLIS << Math.min(deaths - 2, MAX_DOUBLINGS);
    Thread.ofVirtual().name("pool-refill").start(() -> refill(delay));
  }

  private void refill(long delayMillis) {
    try {
      Thread.sleep(delayMillis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    startMissing();
  }

  private void startMissing() {
    while (startIfMissing()) {
      // One more.
    }
  }

  /** One at a time, so that two who see the same one missing start one. */
  private synchronized boolean startIfMissing() {
    long alive = watch.watched().keySet().stream().filter(id -> id.startsWith(PREFIX)).count();
    return !stopping && alive < config.launcher().pool().size() && startOne();
  }

  /** False when it could not be started, which is tried again later. */
  private boolean startOne() {
    String runner = PREFIX + UlidCreator.getMonotonicUlid().toString().toLowerCase(Locale.ROOT);
    lastStartNanos = System.nanoTime();
    try {
      table.insert(runner, MODE, null, null, processes.log(runner).toString());
      Process process =
          processes.start(
              new RunnerProcesses.Spec(runner, MODE, config.runner().slots(), null, 0, null));
      watch.child(runner, MODE, process);
      table.running(runner, process.pid(), RunnerProcesses.startOf(process.toHandle()));
      LOG.infof("pool runner %s started, pid %d", runner, process.pid());
      return true;
    } catch (IOException | RuntimeException e) {
      LOG.errorf("a pool runner could not be started: %s", e.getMessage());
      int deaths = youngDeaths.incrementAndGet();
      long delay = FIRST_BACKOFF_MILLIS << Math.min(deaths, MAX_DOUBLINGS);
      if (!stopping) {
        Thread.ofVirtual().name("pool-refill").start(() -> refill(delay));
      }
      return false;
    }
  }
}
