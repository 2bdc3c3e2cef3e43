/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.protocol.state.RunStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a run's row that a plan may change.
 *
 * @param certainEpoch the newest epoch that nothing can keep from the log: the first, and that of
 *     each resume. An epoch that a failover has decided may never count, since the run's end may
 *     already be on the log
 * @param controlSeq the last number of the control lane
 * @param pause requested pause; null when none is requested
 * @param status as shown; the projection of the trace writes it, a plan only anticipates it
 * @param ended the run has ended according to the trace
 * @param runner that the current epoch is assigned to; null when none is
 * @param parked null when the run is not parked
 * @param queued null when the run does not wait for a place
 * @param nextAttemptAt when a delayed epoch begins; null when none is delayed
 * @param confirmation null when no runner was confirmed
 * @param definition with which the run continues; null: unchanged
 */
public record RunControl(
    int epoch,
    int certainEpoch,
    long controlSeq,
    DesiredState desired,
    @Nullable PauseMode pause,
    RunStatus status,
    boolean ended,
    @Nullable String runner,
    @Nullable ParkedWait parked,
    @Nullable QueuedEpoch queued,
    FailoverCount failovers,
    @Nullable Instant nextAttemptAt,
    @Nullable Confirmation confirmation,
    QueuedEpoch.@Nullable NewDefinition definition) {

  /**
   * A wait without a runner. Valid while the run is in the epoch that was parked.
   *
   * @param since when the broker received the event that parked the run
   * @param resumeAt null: only an answer resumes the run
   */
  public record ParkedWait(int epoch, Instant since, @Nullable Instant resumeAt) {
    /** Instead of an epoch: the projection has found a gap in the log, so the run must pause. */
    public static final int GAP = -1;
  }

  /**
   * The failovers since the run last made progress.
   *
   * @param fruitless number of consecutive failovers without progress
   * @param completed the progress at the last failover, see {@link RunRow.Facts}
   * @param deaths consecutive deaths in the same step visit
   */
  public record FailoverCount(int fruitless, long completed, RunnerDeathStreak deaths) {
    static FailoverCount none(long completed) {
      return new FailoverCount(0, completed, RunnerDeathStreak.NONE);
    }
  }

  /**
   * The newest confirmation of a runner that was disconnected and has reconnected.
   *
   * @param epoch in which the runner holds the run
   * @param at by the clock of Postgres
   */
  public record Confirmation(int epoch, Instant at) {}

  Change change() {
    return new Change(this);
  }

  /** Collects changes. Not thread-safe. */
  static final class Change {
    int epoch;
    int certainEpoch;
    long controlSeq;
    DesiredState desired;
    @Nullable PauseMode pause;
    RunStatus status;
    boolean ended;
    @Nullable String runner;
    @Nullable ParkedWait parked;
    @Nullable QueuedEpoch queued;
    FailoverCount failovers;
    @Nullable Instant nextAttemptAt;
    @Nullable Confirmation confirmation;
    QueuedEpoch.@Nullable NewDefinition definition;

    private Change(RunControl from) {
      epoch = from.epoch;
      certainEpoch = from.certainEpoch;
      controlSeq = from.controlSeq;
      desired = from.desired;
      pause = from.pause;
      status = from.status;
      ended = from.ended;
      runner = from.runner;
      parked = from.parked;
      queued = from.queued;
      failovers = from.failovers;
      nextAttemptAt = from.nextAttemptAt;
      confirmation = from.confirmation;
      definition = from.definition;
    }

    RunControl done() {
      return new RunControl(
          epoch,
          certainEpoch,
          controlSeq,
          desired,
          pause,
          status,
          ended,
          runner,
          parked,
          queued,
          failovers,
          nextAttemptAt,
          confirmation,
          definition);
    }
  }
}
