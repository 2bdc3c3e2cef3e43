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
 * A runner's hold of one run, in one epoch. It lasts for two heartbeat intervals from when the
 * newest heartbeat was <em>sent</em> that has been acknowledged, on the monotonic clock; nobody is
 * missed sooner than after three. Past that the run is suspended: what its steps have started is
 * stopped, and nothing else begins, until the orchestrator has confirmed that it still is this
 * epoch's.
 *
 * <pre>
 *   held        the limit passes                   suspended: everything is stopped
 *   suspended   a heartbeat is acknowledged        to be confirmed
 *   to be       confirmed, for this suspension     held: everything goes on
 *   confirmed   the limit passes again             suspended
 *               not answered for the timeout       given up: no heartbeats, so the run is failed over
 *   given up    confirmed after all                suspended: heartbeats again
 * </pre>
 *
 * <p>Whoever begins something looks at the clock and not only at the state: a process that was
 * itself stopped finds its time over before it does anything. Being fenced is not a state of this:
 * it ends the run. Thread-safe.
 */
public final class RunLease {
  /** What runs for a run, and can be stopped in the middle. */
  public interface Suspendable {
    void suspend();

    void goOn();
  }

  /** Starts it. */
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

  /** When it was first seen in this suspension that a heartbeat is acknowledged; null: not yet. */
  private @Nullable Long heardAt;

  /**
   * Held from now on, as if a heartbeat had just been sent and acknowledged.
   *
   * @param interval between heartbeats
   * @param timeout after which the runner is lost; more than two intervals
   * @param clock monotonic, in nanoseconds
   * @param onSuspended called each time, when everything is stopped; must not block
   * @throws IllegalArgumentException when the timeout is too short for the interval
   */
  public RunLease(Duration interval, Duration timeout, LongSupplier clock, Runnable onSuspended) {
    Duration twice = interval.multipliedBy(LIMIT_INTERVALS);
    if (!interval.isPositive() || twice.compareTo(timeout) >= 0) {
      throw new IllegalArgumentException(
          "a heartbeat timeout of %d ms with an interval of %d ms is not allowed; allowed: more than two intervals, for by then a runner that is not heard has to have stopped"
              .formatted(timeout.toMillis(), interval.toMillis()));
    }
    this.interval = interval;
    this.limit = twice.toNanos();
    this.timeout = timeout.toNanos();
    this.clock = clock;
    this.onSuspended = onSuspended;
    this.sentAt = new AtomicLong(clock.getAsLong());
  }

  /** One that is never over, for what has no heartbeats. */
  public static RunLease forever() {
    return new RunLease(Duration.ofSeconds(1), Duration.ofSeconds(3), () -> 0, () -> {});
  }

  /** A heartbeat that was sent at this time of the clock has been acknowledged. Never blocks. */
  public void acknowledged(long sent) {
    sentAt.accumulateAndGet(sent, (known, now) -> now - known > 0 ? now : known);
  }

  /** How long until {@link #look} is due; not positive when it is now. Never blocks. */
  public Duration left() {
    return suspended ? interval : Duration.ofNanos(sentAt.get() + limit - clock.getAsLong());
  }

  /** Suspends the run when its time is over. Blocks until everything is stopped. */
  public void look() {
    lock.lock();
    try {
      suspendIfOver();
    } finally {
      lock.unlock();
    }
  }

  /** The suspension that the orchestrator is to be asked about; empty where there is no use. */
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
   * Whether heartbeats arrive, but nobody answers: then the run must not look alive for ever with
   * nothing going on in it.
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
   * The orchestrator says that the run is still this epoch's. Blocks until everything goes on.
   *
   * @param asked which suspension it was asked about; an answer for an earlier one says nothing
   * @return whether the run goes on; otherwise it is to be asked again, with newer heartbeats
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
   * Returns when something may begin. An effect that cannot be stopped in the middle is begun right
   * after this.
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

  /** Starts what can be stopped; not before something may begin, and in one step with that. */
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

  /** It has ended by itself. */
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
