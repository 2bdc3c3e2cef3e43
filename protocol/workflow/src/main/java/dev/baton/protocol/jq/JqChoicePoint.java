/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import org.jspecify.annotations.Nullable;

/** An alternative continuation, taken when the current one has no more results. */
abstract class JqChoicePoint implements JqTraceable {
  /** The error handlers in force when it was created; set by {@link JqEvaluator#push}. */
  @Nullable JqErrorHandler handlers;

  /**
   * Returns a choice point that runs an action.
   *
   * @param held everything that the action keeps alive
   */
  static JqChoicePoint of(Runnable action, @Nullable Object... held) {
    return new JqChoicePoint() {
      @Override
      void resume() {
        action.run();
      }

      @Override
      public void trace(JqMemoryEstimator live) {
        super.trace(live);
        live.addAll(held);
      }
    };
  }

  abstract void resume();

  @Override
  public void trace(JqMemoryEstimator live) {
    live.add(handlers);
  }
}
