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

  static StepState started(
      String step,
      @Nullable String kind,
      int visit,
      int failedAttempts,
      int completions,
      @Nullable Output output,
      @Nullable Instant at,
      @Nullable StepEnd last) {
    return new StepState(
        step,
        kind,
        Status.RUNNING,
        visit,
        failedAttempts,
        completions,
        output,
        null,
        null,
        null,
        null,
        null,
        at,
        0,
        last);
  }

  /** What expressions see of it is gone. */
  StepState forgotten() {
    return new StepState(
        step,
        kind,
        status,
        visit,
        failedAttempts,
        completions,
        null,
        cut,
        checkpoint,
        error,
        reason,
        exitCode,
        startedAt,
        durationUs,
        null);
  }

  /** This visit has ended because nobody waits for it any more. */
  StepState stopped() {
    boolean hasFailed = status == Status.FAILED;
    return new StepState(
        step,
        kind,
        hasFailed ? status : Status.SKIPPED,
        visit,
        failedAttempts,
        visit,
        null,
        null,
        null,
        error,
        hasFailed ? null : "not waited for",
        exitCode,
        startedAt,
        durationUs,
        hasFailed && error != null ? StepEnd.failure(error) : StepEnd.SKIPPED);
  }

  /** Of a step that a runner has not come to, or not come through. */
  static StepState skipping(String step, @Nullable StepState old) {
    int completions = old == null ? 0 : old.completions();
    return new StepState(
        step,
        old == null ? null : old.kind(),
        Status.SKIPPING,
        old == null || old.hasEnded() ? completions + 1 : old.visit(),
        0,
        completions,
        old == null ? null : old.output(),
        null,
        null,
        null,
        null,
        null,
        null,
        0,
        old == null ? null : old.last());
  }

  /** Its visit, from its first attempt on. */
  static StepState begunAnew(StepState old) {
    return new StepState(
        old.step(),
        old.kind(),
        Status.INTERRUPTED,
        old.visit(),
        0,
        old.completions(),
        old.output(),
        null,
        null,
        null,
        null,
        null,
        null,
        0,
        old.last());
  }

  StepState withOutput(Output corrected) {
    return new StepState(
        step,
        kind,
        status,
        visit,
        failedAttempts,
        completions,
        corrected,
        cut,
        checkpoint,
        error,
        reason,
        exitCode,
        startedAt,
        durationUs,
        last);
  }

  StepState withStatus(Status newStatus) {
    return new StepState(
        step,
        kind,
        newStatus,
        visit,
        failedAttempts,
        completions,
        output,
        cut,
        checkpoint,
        error,
        reason,
        exitCode,
        startedAt,
        durationUs,
        last);
  }

  StepState withCheckpoint(Cut newest) {
    return new StepState(
        step,
        kind,
        status,
        visit,
        failedAttempts,
        completions,
        output,
        cut,
        newest,
        error,
        reason,
        exitCode,
        startedAt,
        durationUs,
        last);
  }
}
