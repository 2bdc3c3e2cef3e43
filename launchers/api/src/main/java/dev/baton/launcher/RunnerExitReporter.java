/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import dev.baton.protocol.retry.Backoff;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Has the one observer of a launcher, and reports exits to it until it accepts them or the launcher
 * is closed. Thread-safe.
 */
public final class RunnerExitReporter implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(RunnerExitReporter.class.getName());
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(200);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(10);

  private static final int REMEMBERED = 10_000;

  private final AtomicReference<@Nullable RunnerObserver> observer = new AtomicReference<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Names whose exit was accepted; the oldest are forgotten. */
  private final Set<String> accepted =
      Collections.synchronizedSet(
          Collections.newSetFromMap(
              new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                  return size() > REMEMBERED;
                }
              }));

  /**
   * Takes the observer, once.
   *
   * @throws IllegalStateException when there is one
   */
  public void observe(RunnerObserver receiver) {
    if (!observer.compareAndSet(null, receiver)) {
      throw new IllegalStateException("the launcher is already observed");
    }
  }

  /**
   * Checks that exits have a receiver, before a runner is started.
   *
   * @throws IllegalStateException before an observer is set
   */
  public void requireObserver() {
    observer();
  }

  private RunnerObserver observer() {
    RunnerObserver receiver = observer.get();
    if (receiver == null) {
      throw new IllegalStateException("the launcher is not observed yet");
    }
    return receiver;
  }

  /**
   * Reports an exit, with pauses of up to ten seconds between attempts.
   *
   * @return false when the launcher was closed before the observer accepted it: the next instance
   *     adopts the runner
   */
  public boolean report(RunnerExit exit) {
    Backoff backoff = Backoff.exponential(FIRST_BACKOFF, MAX_BACKOFF);
    Duration pause = Duration.ZERO;
    while (!isClosedWithin(pause)) {
      try {
        observer().ended(exit);
        accepted.add(exit.runner());
        return true;
      } catch (RuntimeException e) {
        LOG.log(
            System.Logger.Level.WARNING,
            "runner {0}: its exit is not accepted, retrying: {1}",
            exit.runner(),
            e);
      }
      pause = backoff.next();
    }
    return false;
  }

  /** Reports that a runner has entered another phase, or why it still is in it. */
  public void reportChange(LaunchedRunner runner) {
    observer().changed(runner);
  }

  /** Whether the exit of a runner of this name was accepted; only the last 10,000 are known. */
  public boolean isAccepted(String runner) {
    return accepted.contains(runner);
  }

  /** Waits for this time; returns true at once when the launcher is closed or interrupted. */
  public boolean isClosedWithin(Duration time) {
    try {
      return closed.await(time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Ends all waits and reports. */
  @Override
  public void close() {
    closed.countDown();
  }
}
