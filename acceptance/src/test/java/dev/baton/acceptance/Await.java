/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Polls a condition with a timeout. */
public final class Await {
  private static final Duration BETWEEN = Duration.ofMillis(25);

  private Await() {}

  /** A condition that may be checked repeatedly. */
  public interface Condition {
    boolean holds() throws Exception;
  }

  /**
   * Polls until the condition holds; an exception of the condition counts as "not yet" and is
   * reported when the timeout expires.
   */
  public static void until(String what, Duration bound, Condition condition) {
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
