/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.scheduling;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Runs a task periodically on its own virtual thread: after a fixed pause, or earlier when it is
 * woken. One round at a time. Of consecutive failures the first is logged as a warning, and the
 * next round runs as usual. Thread-safe.
 */
public final class PeriodicTask {
  /** One round. May block within its own timeouts. */
  public interface Round {
    void run() throws InterruptedException;
  }

  private static final Logger LOG = Logger.getLogger(PeriodicTask.class);

  private final String name;
  private final Duration every;
  private final String failing;
  private final Round round;
  private final Semaphore wakeUps = new Semaphore(0);
  private volatile boolean stopping;
  private volatile @Nullable Thread thread;

  /**
   * @param name of the thread
   * @param every the longest pause between two rounds, and before the first
   * @param failing the message for a failed round, such as "queued runs: cannot be read, retrying"
   */
  public PeriodicTask(String name, Duration every, String failing, Round round) {
    this.name = name;
    this.every = every;
    this.failing = failing;
    this.round = round;
  }

  /** Starts the thread; call once. */
  public void start() {
    thread = Thread.ofVirtual().name(name).start(this::work);
  }

  /** Starts the next round now, or right after the current one. Never blocks. */
  public void wake() {
    if (wakeUps.availablePermits() == 0) {
      wakeUps.release();
    }
  }

  /** Starts no further round and interrupts the current one. */
  public void stop() {
    stopping = true;
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }

  public boolean isStopping() {
    return stopping;
  }

  private void work() {
    boolean failed = false;
    while (!stopping) {
      try {
        wakeUps.tryAcquire(every.toMillis(), TimeUnit.MILLISECONDS);
        wakeUps.drainPermits();
        round.run();
        failed = false;
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        if (!stopping) {
          LOG.logf(failed ? Logger.Level.DEBUG : Logger.Level.WARN, "%s: %s", failing, e);
        }
        failed = true;
      }
    }
  }
}
