/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.protocol.grpc.Answer;
import dev.baton.protocol.workflow.IsolationMode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run as the control side has it: what is needed to give it a runner.
 *
 * @param desired {@code running paused cancelled lost}
 * @param pause {@code step now}: asked for, at the end of the step in progress or at once; null:
 *     not
 * @param paused the trace says that it is, or that it is parked; the projection may be a moment
 *     behind
 * @param runner who the current epoch was given to; null when nobody yet
 * @param startedEpoch the newest epoch whose runner the trace has heard; the projection may be a
 *     moment behind
 * @param forked it begins with a cut of another run
 * @param input JSON; null when the run has none
 * @param answers all that were given so far
 */
public record RunControlState(
    String run,
    String kind,
    String project,
    @Nullable String definitionHash,
    IsolationMode isolation,
    int epoch,
    boolean ended,
    String desired,
    @Nullable String pause,
    boolean paused,
    @Nullable String runner,
    int startedEpoch,
    boolean forked,
    Instant createdAt,
    @Nullable Instant deadline,
    @Nullable Long heartbeatIntervalMs,
    @Nullable Long heartbeatTimeoutMs,
    @Nullable String input,
    Map<String, String> labels,
    List<Answer> answers,
    int priority) {

  public RunControlState {
    labels = Map.copyOf(labels);
    answers = List.copyOf(answers);
  }

  /** Whether a runner may carry it in this epoch. */
  public boolean wants(int candidate) {
    return epoch == candidate
        && !ended
        && !paused
        && desired.equals("running")
        && kind.equals("managed");
  }
}
