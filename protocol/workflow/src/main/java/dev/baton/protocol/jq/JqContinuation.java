/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import org.jspecify.annotations.Nullable;

/** The action for the next value; a linked list of these is the machine's call stack. */
abstract class JqContinuation implements JqTraceable {
  /** Null only at the end of the program, and where the action always backtracks. */
  final @Nullable JqContinuation next;

  JqContinuation(@Nullable JqContinuation next) {
    this.next = next;
  }

  /**
   * Returns a continuation that runs an action.
   *
   * @param action processes the machine's value, and sets the machine's next action
   * @param held everything that the action keeps alive in addition to {@code next}
   */
  static JqContinuation of(
      @Nullable JqContinuation next, Runnable action, @Nullable Object... held) {
    return new JqContinuation(next) {
      @Override
      void accept() {
        action.run();
      }

      @Override
      public void trace(JqMemoryEstimator live) {
        super.trace(live);
        live.addAll(held);
      }
    };
  }

  /** Processes the machine's value, and sets the machine's next action. */
  abstract void accept();

  @Override
  public void trace(JqMemoryEstimator live) {
    live.add(next);
  }
}
