/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.outbox;

import java.util.List;

/** What became of a claimed row. */
sealed interface OutboxRowResult {
  /** All effects are done; the row goes. */
  record Done() implements OutboxRowResult {}

  /**
   * @param remaining the effects still to do, in order
   */
  record Postponed(List<OutboxEffect> remaining, Awaits awaits) implements OutboxRowResult {}

  /** What a row waits for; where it is anything, nothing is wrong. */
  enum Awaits {
    /** It has failed. */
    NOTHING(30_000),
    /** Its turn to start a process, on any replica that has room for one more: that wakes it. */
    START(1_000),
    /** A runner with room, which other replicas may have: that wakes it. */
    SLOT(1_000),
    /** The end of what was asked to end. */
    END(200);

    private final long longestMillis;

    Awaits(long longestMillis) {
      this.longestMillis = longestMillis;
    }

    /** How long it waits at most until it is looked at again. */
    long longestMillis() {
      return longestMillis;
    }

    boolean isForRoom() {
      return this == START || this == SLOT;
    }
  }
}
