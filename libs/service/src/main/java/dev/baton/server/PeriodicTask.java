/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jboss.logging.Logger;

/**
 * Runs a task periodically on its own virtual thread: after a fixed pause, or earlier when it is
 * woken. One round at a time. Logs the failure of a round; the next round runs as usual. Ends when
 * it is stopped or interrupted. Thread-safe.
 */
public final class PeriodicTask implements AutoCloseable {
  /** One round. May block within its own timeouts. */
  @FunctionalInterface
  public interface Round {
    void run() throws InterruptedException;
  }

  /** Logs failed rounds. */
  private interface FailureLog {
    /**
     * @param again whether the previous round failed, too
     */
    void failed(RuntimeException failure, boolean again);
  }

  private static final Logger LOG = Logger.getLogger(PeriodicTask.class);

  /** Maximum postponement of a round, as a multiple of the delay. */
  private static final int POSTPONEMENTS = 15;

  /** The time that {@link #close} waits. */
  private static final Duration END = Duration.ofSeconds(5);

  private final String name;
  private final Duration every;
  private final FailureLog failures;
  private final Round round;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Thread thread;
  private long due;
  private long latest = Long.MAX_VALUE;
  private volatile boolean stopping;

  private PeriodicTask(
      String name, String threadName, Duration every, FailureLog failures, Round round) {
    this.name = name;
    this.every = every;
    this.failures = failures;
    this.round = round;
    due = System.nanoTime() + every.toNanos();
    thread = Thread.ofVirtual().name(threadName).unstarted(this::work);
  }

  /**
   * Creates a task for {@link #start}. Of consecutive failures the first is logged as a warning.
   *
   * @param name of the thread
   * @param every the longest pause between two rounds, and before the first
   * @param failing the message for a failed round, such as "queued runs: cannot be read, retrying"
   */
  public PeriodicTask(String name, Duration every, String failing, Round round) {
    this(
        name,
        name,
        every,
        (failure, again) ->
            LOG.logf(again ? Logger.Level.DEBUG : Logger.Level.WARN, "%s: %s", failing, failure),
        round);
  }

  /**
   * Starts a task. Each failure is logged as a warning.
   *
   * @param every the longest pause between two rounds, and before the first
   */
  public static PeriodicTask start(String name, Duration every, Round round) {
    PeriodicTask task =
        new PeriodicTask(
            name,
            "baton-" + name,
            every,
            (failure, again) -> {
              LOG.warnf("%s failed, retrying in %s: %s", name, every, words(failure));
              LOG.debug(name, failure);
            },
            round);
    task.start();
    return task;
  }

  /** Starts the thread; call once. */
  public void start() {
    lock.lock();
    try {
      if (latest == Long.MAX_VALUE) { // not woken before
        due = System.nanoTime() + every.toNanos();
      }
    } finally {
      lock.unlock();
    }
    thread.start();
  }

  /** Starts the next round now, or right after the current one. */
  public void wake() {
    wakeIn(Duration.ZERO);
  }

  /**
   * Starts the next round after this delay. Further calls postpone it, but by at most {@value
   * #POSTPONEMENTS} times the delay of the first.
   */
  public void wakeIn(Duration delay) {
    lock.lock();
    try {
      long now = System.nanoTime();
      if (latest == Long.MAX_VALUE) {
        latest = now + POSTPONEMENTS * delay.toNanos();
      }
      due = now + Math.min(delay.toNanos(), Math.max(0, latest - now));
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Starts no further round and interrupts the current one. */
  public void stop() {
    stopping = true;
    thread.interrupt();
  }

  public boolean isStopping() {
    return stopping;
  }

  /** Stops a started task and waits at most 5 s for the end of the current round. */
  @Override
  public void close() {
    stop();
    try {
      if (!thread.join(END)) {
        LOG.warnf("%s did not end within %d s", name, END.toSeconds());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void work() {
    boolean failed = false;
    try {
      while (awaitTurn()) {
        try {
          round.run();
          failed = false;
        } catch (RuntimeException e) {
          if (!stopping) {
            failures.failed(e, failed);
          }
          failed = true;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // stopped while waiting or during a round
    }
  }

  /** Waits for the next round. False if stopped. */
  private boolean awaitTurn() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!stopping && due - System.nanoTime() > 0) {
        changed.await(due - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
      due = System.nanoTime() + every.toNanos();
      latest = Long.MAX_VALUE;
      return !stopping;
    } finally {
      lock.unlock();
    }
  }

  private static String words(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }
}
