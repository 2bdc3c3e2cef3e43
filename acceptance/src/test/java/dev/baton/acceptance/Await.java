/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Waiting with a bound for something that only asking can tell. */
final class Await {
  private static final Duration BETWEEN = Duration.ofMillis(25);

  private Await() {}

  interface Condition {
    boolean holds() throws Exception;
  }

  /**
   * Asks until it holds; what the condition throws counts as "not yet" and is told when the bound
   * is reached.
   */
  static void until(String what, Duration bound, Condition condition) {
    long end = System.nanoTime() + bound.toNanos();
    Exception last = null;
    while (System.nanoTime() < end) {
      try {
        if (condition.holds()) {
          return;
        }
        last = null;
      } catch (Exception e) {
        last = e;
      }
      LockSupport.parkNanos(BETWEEN.toNanos());
    }
    throw new AssertionError("not within " + bound.toSeconds() + " s: " + what, last);
  }
}
