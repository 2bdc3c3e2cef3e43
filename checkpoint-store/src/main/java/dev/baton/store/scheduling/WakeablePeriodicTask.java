/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.scheduling;

import dev.baton.store.failure.FailureTranslator;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jboss.logging.Logger;

/**
 * Runs a task periodically on a virtual thread until it is closed. Logs a failure and tries again
 * at the next turn. Thread-safe.
 */
public final class WakeablePeriodicTask implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(WakeablePeriodicTask.class);

  /** Maximum postponement of a turn, as a multiple of the delay. */
  private static final int PATIENCE = 15;

  private final String name;
  private final Duration interval;
  private final Runnable turn;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private long due;
  private long latest = Long.MAX_VALUE;
  private boolean closed;
  private final Thread thread;

  private WakeablePeriodicTask(String name, Duration interval, Runnable turn) {
    this.name = name;
    this.interval = interval;
    this.turn = turn;
    due = System.nanoTime() + interval.toNanos();
    thread = Thread.ofVirtual().name("baton-" + name).unstarted(this::run);
  }

  /** Starts a task; the first turn is after one interval, or earlier if it is woken. */
  public static WakeablePeriodicTask start(String name, Duration interval, Runnable turn) {
    WakeablePeriodicTask loop = new WakeablePeriodicTask(name, interval, turn);
    loop.thread.start();
    return loop;
  }

  /** Starts the next turn after this delay. Further calls postpone it, but only up to a bound. */
  public void wakeIn(Duration delay) {
    lock.lock();
    try {
      long now = System.nanoTime();
      if (latest == Long.MAX_VALUE) {
        latest = now + PATIENCE * delay.toNanos();
      }
      due = now + Math.min(delay.toNanos(), Math.max(0, latest - now));
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try {
      while (await()) {
        try {
          turn.run();
        } catch (RuntimeException e) {
          LOG.warnf("%s failed, retrying in %s: %s", name, interval, FailureTranslator.words(e));
          LOG.debug(name, e);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed during a turn
    }
  }

  /** Waits for the next turn. False if closed. */
  private boolean await() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed && due - System.nanoTime() > 0) {
        changed.await(due - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
      due = System.nanoTime() + interval.toNanos();
      latest = Long.MAX_VALUE;
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Interrupts a running turn and waits at most a few seconds for its end. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
    thread.interrupt();
    try {
      if (!thread.join(Duration.ofSeconds(5))) {
        LOG.warnf("%s did not end within 5 s", name);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
