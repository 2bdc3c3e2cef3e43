/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.outbox;

import java.util.List;

/** The result of a claimed row. */
sealed interface OutboxRowResult {
  /** All effects are performed; the row is deleted. */
  record Done() implements OutboxRowResult {}

  /**
   * @param remaining the pending effects, in order
   */
  record Postponed(List<OutboxEffect> remaining, Awaits awaits) implements OutboxRowResult {}

  /** What a postponed row waits for; only {@link #NOTHING} means a failure. */
  enum Awaits {
    /** Nothing: it has failed and is retried. */
    NOTHING(30_000),
    /** A permit to start a process, on any replica; a freed permit wakes it. */
    START(1_000),
    /** A runner with a free slot, on any replica; a freed slot wakes it. */
    SLOT(1_000),
    /** The end of a runner that was requested to stop. */
    END(200),
    /** The end of an effect that outlasts the round; at its end the row is due. */
    EFFECT(200);

    private final long longestMillis;

    Awaits(long longestMillis) {
      this.longestMillis = longestMillis;
    }

    /** The maximum time until the row is tried again. */
    long longestMillis() {
      return longestMillis;
    }

    boolean isForRoom() {
      return this == START || this == SLOT;
    }
  }
}
