/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.lease;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the lease of this runner on one run, in one epoch. The lease lasts for two heartbeat
 * intervals from when the newest acknowledged heartbeat was <em>sent</em>, on the monotonic clock;
 * the orchestrator declares a runner lost after three intervals at the earliest. When the lease
 * expires the run is suspended: the processes of its steps are stopped and no other work begins,
 * until the orchestrator has confirmed that the run is still assigned to this epoch.
 *
 * <pre>
 *   held        the limit passes                   suspended: everything is stopped
 *   suspended   a heartbeat is acknowledged        to be confirmed
 *   to be       confirmed, for this suspension     held: everything is resumed
 *   confirmed   the limit passes again             suspended
 *               not confirmed within the timeout   given up: no heartbeats, so the run fails over
 *   given up    confirmed after all                suspended: heartbeats again
 * </pre>
 *
 * <p>A caller that begins work checks the clock and not only the state: a process that was itself
 * stopped finds its lease expired before it acts. Being fenced is not a state of the lease: it ends
 * the run. Thread-safe.
 */
public final class RunLease {
  /** Work of a run that can be suspended and resumed. */
  public interface Suspendable {
    void suspend();

    void goOn();
  }

  /** Starts suspendable work. */
  public interface Start<T extends Suspendable> {
    T start() throws IOException;
  }

  private static final int LIMIT_INTERVALS = 2;

  private final Duration interval;
  private final long limit;
  private final long timeout;
  private final LongSupplier clock;
  private final Runnable onSuspended;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition held = lock.newCondition();
  private final Set<Suspendable> started = new HashSet<>();
  private final AtomicLong sentAt;
  private long suspension;
  private volatile boolean suspended;

  /** When an acknowledged heartbeat was first seen in this suspension; null: not yet. */
  private @Nullable Long heardAt;

  /**
   * Creates a lease that is held, as if a heartbeat had just been sent and acknowledged.
   *
   * @param interval between heartbeats
   * @param timeout after which the runner is declared lost; more than two intervals
   * @param clock monotonic, in nanoseconds
   * @param onSuspended called at each suspension, after everything is stopped; must not block
   * @throws IllegalArgumentException when the timeout is too short for the interval
   */
  public RunLease(Duration interval, Duration timeout, LongSupplier clock, Runnable onSuspended) {
    Duration twice = interval.multipliedBy(LIMIT_INTERVALS);
    if (!interval.isPositive() || twice.compareTo(timeout) >= 0) {
      throw new IllegalArgumentException(
          "heartbeat timeout %d ms is not valid with an interval of %d ms; allowed: more than two intervals, because the lease lasts for two"
              .formatted(timeout.toMillis(), interval.toMillis()));
    }
    this.interval = interval;
    this.limit = twice.toNanos();
    this.timeout = timeout.toNanos();
    this.clock = clock;
    this.onSuspended = onSuspended;
    this.sentAt = new AtomicLong(clock.getAsLong());
  }

  /** Creates a lease that never expires, for work without heartbeats. */
  public static RunLease forever() {
    return new RunLease(Duration.ofSeconds(1), Duration.ofSeconds(3), () -> 0, () -> {});
  }

  /** Records that a heartbeat sent at this time of the clock was acknowledged. Never blocks. */
  public void acknowledged(long sent) {
    sentAt.accumulateAndGet(sent, (known, now) -> now - known > 0 ? now : known);
  }

  /** Returns the time until {@link #look} is due; not positive if it is due now. Never blocks. */
  public Duration left() {
    return suspended ? interval : Duration.ofNanos(sentAt.get() + limit - clock.getAsLong());
  }

  /** Suspends the run if its lease has expired. Blocks until everything is stopped. */
  public void look() {
    lock.lock();
    try {
      suspendIfOver();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the suspension that needs a confirmation; empty if none does, or as long as no
   * heartbeat is acknowledged.
   */
  public OptionalLong unconfirmed() {
    lock.lock();
    try {
      if (suspended && heardAt == null && !isOver()) {
        heardAt = clock.getAsLong();
      }
      return suspended && heardAt != null ? OptionalLong.of(suspension) : OptionalLong.empty();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether heartbeats were acknowledged for the whole timeout without a confirmation. The
   * runner then stops its heartbeats, so that a suspended run does not appear alive forever.
   */
  public boolean isGivenUp() {
    lock.lock();
    try {
      Long heard = heardAt;
      return suspended && heard != null && clock.getAsLong() - heard >= timeout;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Handles the orchestrator's confirmation that the run is still assigned to this epoch. Blocks
   * until everything is resumed.
   *
   * @param asked the suspension that the request named; a confirmation of an earlier one is ignored
   * @return whether the run is resumed; otherwise the request must be repeated, with newer
   *     heartbeats
   */
  public boolean confirmed(long asked) {
    lock.lock();
    try {
      if (!suspended || asked != suspension) {
        return false;
      }
      heardAt = null;
      if (isOver()) {
        return false;
      }
      suspended = false;
      started.forEach(Suspendable::goOn);
      held.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  public boolean isSuspended() {
    return suspended;
  }

  /**
   * Waits until the lease is held. Call this right before an effect that cannot be suspended.
   *
   * @throws InterruptedException when the run is stopped meanwhile
   */
  public void await() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      awaitHeld();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until the lease is held.
   *
   * @return false when it is not held after this time
   */
  public boolean await(Duration max) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      suspendIfOver();
      for (long left = max.toNanos(); suspended && left > 0; suspendIfOver()) {
        left = held.awaitNanos(left);
      }
      return !suspended;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the lease is held, then starts suspendable work atomically with that check. */
  public <T extends Suspendable> T begin(Start<T> start) throws IOException, InterruptedException {
    lock.lockInterruptibly();
    try {
      awaitHeld();
      T begun = start.start();
      started.add(begun);
      return begun;
    } finally {
      lock.unlock();
    }
  }

  /** Removes work that has ended by itself. */
  public void end(Suspendable begun) {
    lock.lock();
    try {
      started.remove(begun);
    } finally {
      lock.unlock();
    }
  }

  private void awaitHeld() throws InterruptedException {
    suspendIfOver();
    while (suspended) {
      held.await();
      suspendIfOver();
    }
  }

  private void suspendIfOver() {
    if (suspended || !isOver()) {
      return;
    }
    suspended = true;
    suspension++;
    heardAt = null;
    started.forEach(Suspendable::suspend);
    onSuspended.run();
  }

  private boolean isOver() {
    return clock.getAsLong() - sentAt.get() >= limit;
  }
}
