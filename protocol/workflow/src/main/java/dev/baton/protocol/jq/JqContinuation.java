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
  /** Null only at the end of the program. */
  final @Nullable JqContinuation next;

  JqContinuation(@Nullable JqContinuation next) {
    this.next = next;
  }

  /** Processes the machine's value, and sets the machine's next action. */
  abstract void accept(JqEvaluator m);

  @Override
  public void trace(JqMemoryEstimator live) {
    live.add(next);
  }
}
