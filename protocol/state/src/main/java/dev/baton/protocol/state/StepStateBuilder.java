/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Output;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Builds a {@link StepState} from another one. Not thread-safe. */
final class StepStateBuilder {
  final String step;
  @Nullable String kind;
  StepState.Status status;
  int visit;
  int failedAttempts;
  int completions;
  @Nullable Output output;
  @Nullable Cut cut;
  @Nullable Cut checkpoint;
  @Nullable Cut resumePoint;
  @Nullable Failure error;
  @Nullable String reason;
  @Nullable Integer exitCode;
  @Nullable Instant startedAt;
  long durationUs;
  @Nullable Long leftMs;
  @Nullable StepEnd last;

  /** Copies all of a state. */
  StepStateBuilder(StepState state) {
    step = state.step();
    kind = state.kind();
    status = state.status();
    visit = state.visit();
    failedAttempts = state.failedAttempts();
    completions = state.completions();
    output = state.output();
    cut = state.cut();
    checkpoint = state.checkpoint();
    resumePoint = state.resumePoint();
    error = state.error();
    reason = state.reason();
    exitCode = state.exitCode();
    startedAt = state.startedAt();
    durationUs = state.durationUs();
    leftMs = state.leftMs();
    last = state.last();
  }

  /**
   * Starts from the data that earlier visits left, and the start time where the visit is the same.
   * Until the visit has an output of its own, expressions see that of the previous visit.
   */
  StepStateBuilder(
      String step,
      @Nullable String kind,
      StepState.Status status,
      int visit,
      @Nullable StepState old) {
    this.step = step;
    this.kind = kind;
    this.status = status;
    this.visit = visit;
    if (old != null) {
      completions = old.completions();
      output = old.output();
      last = old.last();
      startedAt = old.visit() == visit ? old.startedAt() : null;
      leftMs = old.visit() == visit ? old.leftMs() : null;
    }
  }

  /** Takes the number of failed attempts of this visit. */
  void keepFailedAttempts(@Nullable StepState old) {
    failedAttempts = old != null && old.visit() == visit ? old.failedAttempts() : 0;
  }

  StepState state() {
    return new StepState(
        step,
        kind,
        status,
        visit,
        failedAttempts,
        completions,
        output,
        cut,
        checkpoint,
        resumePoint,
        error,
        reason,
        exitCode,
        startedAt,
        durationUs,
        switch (status) {
          case RUNNING, WAITING, INTERRUPTED -> leftMs;
          case COMPLETED, FAILED, SKIPPED, SKIPPING -> null;
        },
        last);
  }
}
