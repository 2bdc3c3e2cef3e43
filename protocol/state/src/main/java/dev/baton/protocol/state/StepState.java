/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Output;
import java.time.Instant;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A step (by its path) as its latest visit left it.
 *
 * @param visit which visit, from 1
 * @param failedAttempts of this visit; the next attempt is one more. An attempt that died with its
 *     runner is not counted: it did not fail, it fell
 * @param completions how many visits have ended
 * @param cut the workspace after the step, where it has one
 * @param checkpoint the newest cut inside the step
 * @param last how the latest visit that ended did: this one, or the one before; null where none
 *     has, or none since the parallel that the step is in began again
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
    @Nullable Failure error,
    @Nullable String reason,
    @Nullable Integer exitCode,
    @Nullable Instant startedAt,
    long durationUs,
    @Nullable StepEnd last) {
  /** Of a step. */
  public enum Status {
    RUNNING,
    WAITING,
    COMPLETED,
    FAILED,
    SKIPPED,
    INTERRUPTED,
    /** Someone has asked for it: it is skipped as soon as a runner comes to it. */
    SKIPPING;

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Whether this visit is over. A failed one is where the workflow says what happens then. */
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

  /** What expressions see of it is gone. */
  StepState forgotten() {
    return with(
        draft -> {
          draft.output = null;
          draft.last = null;
        });
  }

  /** This visit has ended because nobody waits for it any more. */
  StepState stopped() {
    boolean hasFailed = status == Status.FAILED;
    return with(
        draft -> {
          draft.completions = visit;
          draft.output = null;
          draft.cut = null;
          draft.checkpoint = null;
          if (!hasFailed) {
            draft.status = Status.SKIPPED;
          }
          draft.reason = hasFailed ? null : "not waited for";
          draft.last = hasFailed && error != null ? StepEnd.failure(error) : StepEnd.SKIPPED;
        });
  }

  /** Of a step that a runner has not come to, or not come through. */
  static StepState skipping(String step, @Nullable StepState old) {
    int next = old == null ? 1 : old.completions() + 1;
    int visit = old == null || old.hasEnded() ? next : old.visit();
    StepStateBuilder draft =
        new StepStateBuilder(step, old == null ? null : old.kind(), Status.SKIPPING, visit, old);
    draft.startedAt = null;
    return draft.state();
  }

  /** Its visit, from its first attempt on. */
  static StepState begunAnew(StepState old) {
    StepStateBuilder draft =
        new StepStateBuilder(old.step(), old.kind(), Status.INTERRUPTED, old.visit(), old);
    draft.startedAt = null;
    return draft.state();
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

  /** As a fork begins with it: its files are the fork's own, none are within it. */
  StepState withCutOnly(@Nullable Cut own) {
    return with(
        draft -> {
          draft.cut = own;
          draft.checkpoint = null;
        });
  }
}
