/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.runner.lease.RunLease;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Stops a run: every thread that works for it registers here first, and is interrupted when the run
 * stops. A step only has to handle the interrupt; {@link #stopped} returns the reason. Thread-safe.
 */
public final class RunStopController {
  private final Set<Thread> threads = new HashSet<>();
  private final CompletableFuture<Void> stopping = new CompletableFuture<>();
  private final RunLease hold;
  private volatile @Nullable StopReason stop;

  /**
   * @param hold the lease, which decides whether work may begin while the run is not stopped
   */
  RunStopController(RunLease hold) {
    this.hold = hold;
  }

  RunLease hold() {
    return hold;
  }

  /** Stops the run. The first reason is kept unless a later one is stronger. */
  public synchronized void stop(StopReason reason) {
    StopReason before = stop;
    if (before != null && !reason.isStrongerThan(before)) {
      return;
    }
    stop = reason;
    stopping.complete(null);
    if (reason.interrupts()) {
      threads.forEach(Thread::interrupt);
    }
  }

  /** Returns why the run is stopped; null while it is not. */
  public @Nullable StopReason stopped() {
    return stop;
  }

  /** Called between two steps: throws if the run is stopped. */
  void check() throws InterruptedException {
    StopReason reason = stop;
    if (reason != null) {
      throw new InterruptedException("stopped: " + reason);
    }
  }

  /**
   * Whether steps in progress are interrupted: a pause waits for the step's end, unless it is
   * immediate.
   */
  boolean isInterrupting() {
    StopReason reason = stop;
    return reason != null && reason.interrupts();
  }

  /**
   * Sleeps. A pause also ends the sleep, because ending it early loses nothing.
   *
   * @throws InterruptedException when the run is stopped
   */
  void sleep(Duration time) throws InterruptedException {
    CompletableFuture<Void> over = new CompletableFuture<>();
    try {
      await(over, time);
    } finally {
      // Removes it from the list of what a stop wakes, which would grow with every sleep of the
      // run.
      over.complete(null);
    }
  }

  /**
   * Waits for an event from another thread; empty if it does not occur in this time. An event that
   * has occurred is returned, even if the run has been stopped meanwhile.
   *
   * @throws InterruptedException when the run is stopped, paused included
   */
  <T> Optional<T> await(CompletableFuture<T> event, Duration atMost) throws InterruptedException {
    try {
      CompletableFuture.anyOf(event, stopping).get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the awaited event failed", e);
    }
    if (!event.isDone()) {
      check();
    }
    return Optional.of(event.join());
  }

  /** Waits for an event of another thread or for a stop of the run, pauses included. */
  void awaitUntilStopped(CompletableFuture<?> event, Duration atMost) throws InterruptedException {
    try {
      CompletableFuture.anyOf(event, stopping).get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return;
    } catch (ExecutionException e) {
      throw new IllegalStateException("the awaited event failed", e);
    }
  }

  /** Registers the calling thread as working for the run. */
  synchronized void enter() throws InterruptedException {
    check();
    threads.add(Thread.currentThread());
  }

  /**
   * Registers the thread like {@link #enter}, for work that a pause does not stop, because the end
   * of a step does not depend on it.
   */
  synchronized void enterAside() throws InterruptedException {
    if (isInterrupting()) {
      check();
    }
    threads.add(Thread.currentThread());
  }

  synchronized void leave() {
    threads.remove(Thread.currentThread());
  }
}
