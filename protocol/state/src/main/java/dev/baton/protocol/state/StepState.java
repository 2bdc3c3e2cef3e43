/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Output;
import java.time.Instant;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of a step (by its path) after its latest visit.
 *
 * @param visit number of the visit, from 1
 * @param failedAttempts of this visit; the next attempt is one more. An attempt that was lost with
 *     its runner did not fail and is not counted
 * @param completions how many visits have ended
 * @param cut the step's files at its end, where it has a cut
 * @param checkpoint the newest cut inside the step
 * @param resumePoint the cut inside this visit on whose files a new epoch starts it again; null for
 *     the files before the step
 * @param leftMs upper bound on the remaining time of an unfinished visit that waits for a duration,
 *     counted from the start of the current epoch; null where no runner has parked the run in it
 * @param last how the latest ended visit ended: this one, or the one before; null where none has,
 *     or none since the parallel step around it restarted
 */
public record StepState(
    String step,
    @Nullable String kind,
    Status status,
    int visit,
    int failedAttempts,
    int completions,
    @Nullable Output output,
    @Nullable Cut cut,
    @Nullable Cut checkpoint,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Cut resumePoint,
    @Nullable Failure error,
    @Nullable String reason,
    @Nullable Integer exitCode,
    @Nullable Instant startedAt,
    long durationUs,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long leftMs,
    @Nullable StepEnd last) {
  /** The status of a step. */
  public enum Status {
    RUNNING,
    WAITING,
    COMPLETED,
    FAILED,
    SKIPPED,
    INTERRUPTED,
    /** A resume requested that it be skipped: it is skipped when a runner reaches it. */
    SKIPPING;

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Whether this visit has ended. A failed visit has ended only where the workflow has a next step
   * for the failure.
   */
  public boolean hasEnded() {
    return switch (status) {
      case COMPLETED, SKIPPED -> true;
      case FAILED -> completions >= visit;
      case RUNNING, WAITING, INTERRUPTED, SKIPPING -> false;
    };
  }

  private StepState with(Consumer<StepStateBuilder> change) {
    StepStateBuilder draft = new StepStateBuilder(this);
    change.accept(draft);
    return draft.state();
  }

  /** Returns an agent step that waited for a person as it is without that wait. */
  StepState notWaiting(RunHead.Phase phase) {
    boolean waited = status == Status.WAITING && "agent".equals(kind);
    return waited
        ? withStatus(phase == RunHead.Phase.LIVE ? Status.RUNNING : Status.INTERRUPTED)
        : this;
  }

  /** Clears what expressions can read of it. */
  StepState forgotten() {
    return with(
        draft -> {
          draft.output = null;
          draft.last = null;
        });
  }

  /** Ends this visit, since its parallel step has ended without waiting for it. */
  StepState stopped() {
    boolean hasFailed = status == Status.FAILED;
    return with(
        draft -> {
          draft.completions = visit;
          draft.output = null;
          draft.cut = null;
          draft.checkpoint = null;
          draft.resumePoint = null;
          if (!hasFailed) {
            draft.status = Status.SKIPPED;
          }
          draft.reason = hasFailed ? null : "not waited for";
          draft.last = hasFailed && error != null ? StepEnd.failure(error) : StepEnd.SKIPPED;
        });
  }

  /** Marks for skipping a step that has not started or not ended. */
  static StepState skipping(String step, @Nullable StepState old) {
    int next = old == null ? 1 : old.completions() + 1;
    int visit = old == null || old.hasEnded() ? next : old.visit();
    StepStateBuilder draft =
        new StepStateBuilder(step, old == null ? null : old.kind(), Status.SKIPPING, visit, old);
    draft.startedAt = null;
    return draft.state();
  }

  /** Restarts its visit from the first attempt. */
  static StepState begunAnew(StepState old) {
    StepStateBuilder draft =
        new StepStateBuilder(old.step(), old.kind(), Status.INTERRUPTED, old.visit(), old);
    draft.startedAt = null;
    draft.leftMs = null;
    return draft.state();
  }

  /** Sets the remaining time that its runner measured; does nothing if the visit has ended. */
  StepState withLeft(long ms) {
    return hasEnded() ? this : with(draft -> draft.leftMs = Math.max(0, ms));
  }

  /** Forgets the remaining time, which was that of an earlier question of the visit. */
  StepState withoutLeft() {
    return leftMs == null ? this : with(draft -> draft.leftMs = null);
  }

  /** Subtracts the time for which the run was parked. */
  StepState afterWaiting(long ms) {
    return leftMs == null ? this : withLeft(leftMs - ms);
  }

  StepState withOutput(Output corrected) {
    return with(draft -> draft.output = corrected);
  }

  StepState withStatus(Status newStatus) {
    return with(draft -> draft.status = newStatus);
  }

  StepState withCheckpoint(Cut newest) {
    return with(draft -> draft.checkpoint = newest);
  }

  StepState withResumePoint(@Nullable Cut newest) {
    return with(draft -> draft.resumePoint = newest);
  }

  /**
   * Returns the state for a fork: with the fork's own copy of the cut, without cuts inside the
   * step.
   */
  StepState withCutOnly(@Nullable Cut own) {
    return with(
        draft -> {
          draft.cut = own;
          draft.checkpoint = null;
          draft.resumePoint = null;
        });
  }
}
