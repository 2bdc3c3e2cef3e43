/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import org.jspecify.annotations.Nullable;

/** The time that the evaluation on this thread has left. */
final class Budget {
  private static final ThreadLocal<@Nullable Budget> CURRENT = new ThreadLocal<>();

  /**
   * Reading the clock costs as much as a small function, so it is read once in this many ticks. A
   * power of two.
   */
  private static final int TICKS_PER_LOOK = 256;

  private final long deadline;
  private int ticks;

  private Budget(int millis) {
    deadline = System.nanoTime() + millis * 1_000_000L;
  }

  static void start(int millis) {
    CURRENT.set(new Budget(millis));
  }

  static void end() {
    CURRENT.remove();
  }

  /**
   * @throws Spent when no time is left
   */
  static void tick() {
    Budget budget = CURRENT.get();
    if (budget != null
        && (++budget.ticks & (TICKS_PER_LOOK - 1)) == 0
        && System.nanoTime() - budget.deadline > 0) {
      throw new Spent();
    }
  }

  /** Not a JsonQueryException, so that no {@code try} in the expression can catch it. */
  static final class Spent extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Spent() {
      super(null, null, false, false);
    }
  }
}
