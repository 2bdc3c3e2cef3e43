/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import dev.baton.protocol.signal.RunnerSignal;
import java.time.Duration;

/** What a plan does, for callers and the log. */
public sealed interface RunOutcome {
  /** Nothing changes. */
  record Unchanged(String why) implements RunOutcome {}

  /**
   * Nothing is decided yet: the trace may have events that the run's row does not include, or an
   * earlier signal of the run is pending.
   */
  record LookAgain() implements RunOutcome {}

  /** A request cannot be fulfilled in the run's state. */
  record Rejected(String message) implements RunOutcome {}

  /**
   * The run is declared lost.
   *
   * @param reason as in {@code run_lost}
   */
  record Lost(String reason, String detail) implements RunOutcome {}

  /**
   * A new epoch begins.
   *
   * @param delay bound of the delay before it begins: a step that kills its runner repeatedly must
   *     not cause a busy loop
   */
  record EpochBegun(int epoch, String reason, Duration delay) implements RunOutcome {}

  /** A new epoch begins without a runner: a pause was requested and takes effect. */
  record EpochPaused(int epoch, String reason) implements RunOutcome {}

  /** Another change of the row. */
  record Changed(String what) implements RunOutcome {}

  /** The runner gets this message. */
  record Replied(RunnerReply reply) implements RunOutcome {}

  /** The loss of the runner is published as this signal, which any replica handles. */
  record Reported(RunnerSignal signal) implements RunOutcome {}

  /** What a runner is sent. */
  enum RunnerReply {
    /** The run's assignment, then all answers and a requested pause. */
    ASSIGN,
    /** All answers and a requested pause. */
    MISSED_MESSAGES,
    CANCEL,
    FENCE,
    CONFIRM,
    /** Nothing before the projection has read all that the runner has sent. */
    CATCH_UP,
    /** Nothing. */
    NONE
  }
}
