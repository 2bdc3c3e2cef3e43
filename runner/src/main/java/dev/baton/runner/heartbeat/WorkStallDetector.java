/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.heartbeat;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Detects that work which waits for nothing does not end. */
public final class WorkStallDetector {
  private final AtomicLong begun = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();
  private long seenBegun;
  private long seenEnded;

  WorkStallDetector() {}

  /** Does the work. Thread-safe. */
  <T> T during(Supplier<T> work) {
    begun.incrementAndGet();
    try {
      return work.get();
    } finally {
      ended.incrementAndGet();
    }
  }

  /**
   * Returns whether the same work has continued, and nothing else was done, since the last call.
   * Only one thread may call this.
   */
  public boolean isStalled() {
    // In this order, so that work that ends between the two reads is not in progress.
    long nowBegun = begun.get();
    long nowEnded = ended.get();
    boolean same = nowBegun > nowEnded && nowBegun == seenBegun && nowEnded == seenEnded;
    seenBegun = nowBegun;
    seenEnded = nowEnded;
    return same;
  }
}
