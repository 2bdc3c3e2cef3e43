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
 * Counts when one thread begins and ends a piece of work that waits for nothing, so that other
 * threads notice when it does not end.
 */
final class WorkCounter {
  private final AtomicLong changes = new AtomicLong();

  /** Does the work on the one thread of this counter. */
  <T> T during(Supplier<T> work) {
    changes.incrementAndGet();
    try {
      return work.get();
    } finally {
      changes.incrementAndGet();
    }
  }

  /** Returns how often work has begun or ended: odd during work. */
  long changes() {
    return changes.get();
  }
}
