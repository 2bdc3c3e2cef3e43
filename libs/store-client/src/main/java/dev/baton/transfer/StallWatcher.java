/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.transfer;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Ends a transfer that has made no progress for too long, because writing to a socket has no
 * timeout.
 */
final class StallWatcher implements AutoCloseable {
  /**
   * Number of checks within the limit, so that a transfer ends at most this fraction of it late.
   */
  private static final int LOOKS = 8;

  private static final ScheduledThreadPoolExecutor TIMER = timer();

  private final Runnable end;
  private final long limit;
  private final ScheduledFuture<?> looks;
  private volatile long lastMoved = System.nanoTime();
  private volatile boolean ended;

  /**
   * @param end called once, on another thread
   * @param limit 1 ms or more
   */
  StallWatcher(Runnable end, Duration limit) {
    this.end = end;
    this.limit = limit.toNanos();
    long every = this.limit / LOOKS;
    looks = TIMER.scheduleWithFixedDelay(this::look, every, every, TimeUnit.NANOSECONDS);
  }

  void moved() {
    lastMoved = System.nanoTime();
  }

  /** Whether the transfer was ended. */
  boolean hasEnded() {
    return ended;
  }

  /** Stops checking. */
  @Override
  public void close() {
    looks.cancel(false);
  }

  private void look() {
    if (!ended && System.nanoTime() - lastMoved > limit) {
      ended = true;
      end.run();
    }
  }

  private static ScheduledThreadPoolExecutor timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1, task -> Thread.ofPlatform().daemon().name("transfers").unstarted(task));
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }
}
