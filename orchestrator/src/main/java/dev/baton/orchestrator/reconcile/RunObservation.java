/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.trace.TraceEvent;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What was observed of a run, or requested for it. */
public sealed interface RunObservation {

  /** What is known about the trace when an observation is handled. */
  enum TraceKnowledge {
    /** The signal was just read: earlier ones of the run may be deferred. */
    FIRST_LOOK,
    /** No earlier signal of the run is pending. */
    MAYBE_BEHIND,
    /** The row includes all events that were on the log when the signal was read. */
    CAUGHT_UP
  }

  /**
   * A signal reports the loss of the run's runner.
   *
   * @param age time since the signal was published
   */
  record RunnerLost(RunnerSignal signal, Duration age, TraceKnowledge knowledge)
      implements RunObservation {}

  /** Time has passed: the deadline or the end of a parked wait may have come. */
  record TimePassed() implements RunObservation {}

  /** The run's workflow has a free place. */
  record PlaceFreed() implements RunObservation {}

  /** A person or program has answered an approval, and the answer is stored. */
  record ApprovalAnswered(TraceEvent.ApprovalAnswered event) implements RunObservation {}

  record CancelRequested(@Nullable String reason) implements RunObservation {}

  /**
   * @param by name of the requester; null when unknown
   */
  record PauseRequested(PauseMode mode, @Nullable String by) implements RunObservation {}

  /**
   * A resume was requested.
   *
   * @param workflow {@code name} or {@code name@hash} that the run must have; null: any
   * @param seenEpoch the epoch in which the resume was planned; null: any
   * @param changes null: the run resumes unchanged
   * @param definition with which the run continues; null for its current one
   */
  record ResumeRequested(
      @Nullable String workflow,
      @Nullable Integer seenEpoch,
      TraceEvent.@Nullable ResumeRequested changes,
      QueuedEpoch.@Nullable NewDefinition definition)
      implements RunObservation {}

  /** A resume without changes was requested: a delayed epoch begins at once. */
  record HurryRequested(@Nullable String workflow) implements RunObservation {}

  /** A runner that was disconnected and has suspended the run has reconnected. */
  record RunnerReconnected(String runner, int epoch) implements RunObservation {}

  /**
   * A runner has attached that reports the run, or to which the run is assigned.
   *
   * @param held null: the runner does not report the run
   * @param caughtUp the row includes all events that the runner has sent
   */
  record RunnerAttached(@Nullable HeldRun held, boolean caughtUp) implements RunObservation {
    /**
     * A run as a runner reports it.
     *
     * @param started false: the runner requests the run's assignment
     */
    public record HeldRun(int epoch, boolean started) {}
  }

  /**
   * A runner has released the run.
   *
   * @param outcome as in the message {@code Released}
   * @param leaving why the runner process is leaving; null when it is not
   */
  record RunnerReleased(String runner, int epoch, String outcome, @Nullable String leaving)
      implements RunObservation {}
}
