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
 * Stops a run: every thread that works for it enters here first, and is interrupted when the run
 * stops. An interrupt is all that a step needs to know; {@link #stopped} says why. Thread-safe.
 */
public final class RunStopController {
  private final Set<Thread> threads = new HashSet<>();
  private final CompletableFuture<Void> stopping = new CompletableFuture<>();
  private final RunLease hold;
  private volatile @Nullable StopReason stop;

  /**
   * @param hold whether anything of the run may begin, while it is not stopped
   */
  RunStopController(RunLease hold) {
    this.hold = hold;
  }

  RunLease hold() {
    return hold;
  }

  /** The first call decides, unless a later reason is stronger. */
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

  /** Why the run is stopped; null while it is not. */
  public @Nullable StopReason stopped() {
    return stop;
  }

  /** Between two steps: goes on only if the run does. */
  void check() throws InterruptedException {
    StopReason reason = stop;
    if (reason != null) {
      throw new InterruptedException("stopped: " + reason);
    }
  }

  /** Within a step: a pause waits for the step's end, unless it is wanted now. */
  boolean isInterrupting() {
    StopReason reason = stop;
    return reason != null && reason.interrupts();
  }

  /**
   * Sleeps. Nothing is lost when that ends early, so a pause ends it, too.
   *
   * @throws InterruptedException when the run is stopped
   */
  void sleep(Duration time) throws InterruptedException {
    CompletableFuture<Void> over = new CompletableFuture<>();
    try {
      await(over, time);
    } finally {
      // Off the list of what a stop wakes: it would grow with every sleep of the run.
      over.complete(null);
    }
  }

  /**
   * Waits for what somebody else does; empty when it has not come in that time. What has come
   * counts, even where the run has been stopped meanwhile.
   *
   * @throws InterruptedException when the run is stopped, paused included
   */
  <T> Optional<T> await(CompletableFuture<T> event, Duration atMost) throws InterruptedException {
    try {
      CompletableFuture.anyOf(event, stopping).get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (ExecutionException e) {
      throw new IllegalStateException("what is awaited does not fail", e);
    }
    if (!event.isDone()) {
      check();
    }
    return Optional.of(event.join());
  }

  /** The calling thread works for the run from now on. */
  synchronized void enter() throws InterruptedException {
    check();
    threads.add(Thread.currentThread());
  }

  /** As {@link #enter}, for what a step's end need not wait for: a pause does not stop it. */
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
