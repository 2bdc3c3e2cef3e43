/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.heartbeat;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Detects that a piece of work of one thread, which waits for nothing, does not end. Another thread
 * looks.
 */
public final class WorkStallDetector {
  /** How often work has begun or ended: odd during work. */
  private final AtomicLong changes = new AtomicLong();

  private long seen;

  WorkStallDetector() {}

  /** Does the work, on the one thread that does all of it. */
  <T> T during(Supplier<T> work) {
    changes.incrementAndGet();
    try {
      return work.get();
    } finally {
      changes.incrementAndGet();
    }
  }

  /** Returns whether the same work has continued since the last call. Called by one thread. */
  public boolean isStalled() {
    long now = changes.get();
    boolean same = now == seen && now % 2 != 0;
    seen = now;
    return same;
  }
}
