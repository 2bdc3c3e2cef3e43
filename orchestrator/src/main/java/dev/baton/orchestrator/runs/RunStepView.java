/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import dev.baton.protocol.state.StepEnd;
import dev.baton.protocol.state.StepState;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Output;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A step of a run as the API shows it; see {@link StepState} for the fields.
 *
 * @param checkpoint of the files after the step; null where the step has no files
 * @param innerCheckpoint the newest one that was saved inside the step
 */
@Schema(name = "RunStep")
public record RunStepView(
    String step,
    @Nullable String kind,
    StepState.Status status,
    int visit,
    int failedAttempts,
    int completions,
    @Nullable Output output,
    @Nullable Cut checkpoint,
    @Nullable Cut innerCheckpoint,
    @Nullable Failure error,
    @Nullable String reason,
    @Nullable Integer exitCode,
    @Nullable Instant startedAt,
    long durationUs,
    @Nullable StepEnd last) {

  static RunStepView of(StepState state) {
    return new RunStepView(
        state.step(),
        state.kind(),
        state.status(),
        state.visit(),
        state.failedAttempts(),
        state.completions(),
        state.output(),
        state.cut(),
        state.checkpoint(),
        state.error(),
        state.reason(),
        state.exitCode(),
        state.startedAt(),
        state.durationUs(),
        state.last());
  }
}
