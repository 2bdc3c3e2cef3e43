/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.outbox;

import java.util.List;

/** What became of a claimed row. */
sealed interface Result {
  /** All effects are done; the row goes. */
  record Done() implements Result {}

  /**
   * @param remaining the effects still to do, in order
   */
  record Postponed(List<Effect> remaining, Awaits awaits) implements Result {}

  /** What a row waits for; where it is anything, nothing is wrong, and whoever has it wakes it. */
  enum Awaits {
    NOTHING,
    /** Its turn to start a process, on any replica that has room for one more. */
    START,
    /** A runner with room, which other replicas may have. */
    SLOT
  }
}
