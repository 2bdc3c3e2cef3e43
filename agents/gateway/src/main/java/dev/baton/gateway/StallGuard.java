/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Interrupts threads whose transfers make no progress in time. An interrupt closes the connection
 * on which the thread is blocked. Thread-safe.
 */
final class StallGuard implements AutoCloseable {
  private final Set<Watch> watches = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("gateway-stalls").factory());

  StallGuard(Duration every) {
    timer.scheduleWithFixedDelay(
        this::check, every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** The transfers of one thread; closed by that thread. */
  final class Watch implements AutoCloseable {
    private final Thread thread = Thread.currentThread();
    private final long limitNanos;
    private volatile long progress = System.nanoTime();
    private boolean fired;
    private boolean closed;

    private Watch(Duration limit) {
      limitNanos = limit.toNanos();
    }

    /** Reports progress. */
    void progress() {
      progress = System.nanoTime();
    }

    private synchronized void interruptIfStalled() {
      if (!closed && !fired && System.nanoTime() - progress > limitNanos) {
        fired = true;
        thread.interrupt();
      }
    }

    /** Whether the transfer was interrupted. */
    synchronized boolean isStalled() {
      return fired;
    }

    @Override
    public void close() {
      synchronized (this) {
        closed = true;
        if (fired) {
          // The interrupt was for this transfer alone.
          Thread.interrupted();
        }
      }
      watches.remove(this);
    }
  }

  /** Watches the transfers of the calling thread. */
  Watch watch(Duration limit) {
    Watch watch = new Watch(limit);
    watches.add(watch);
    return watch;
  }

  private void check() {
    watches.forEach(Watch::interruptIfStalled);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
