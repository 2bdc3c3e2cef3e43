/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.protocol.grpc.Answer;
import dev.baton.protocol.trace.RunKind;
import dev.baton.protocol.workflow.IsolationMode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The orchestrator's state of a run: all that is needed to assign it to a runner.
 *
 * @param pause requested pause: {@code step} at the end of the step in progress, {@code now} at
 *     once; null when none is requested
 * @param paused the run is paused or parked according to the trace; the projection may lag
 * @param runner that the current epoch is assigned to; null when none is yet
 * @param startedEpoch the newest epoch whose runner has written to the trace; the projection may
 *     lag
 * @param forked the run begins with a cut of another run
 * @param input JSON; null when the run has none
 * @param home the run's home partition; null while it is not known
 * @param answers all answers given so far
 */
public record RunControlState(
    String run,
    RunKind kind,
    String project,
    @Nullable String definitionHash,
    IsolationMode isolation,
    int epoch,
    boolean ended,
    DesiredState desired,
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
    int priority,
    @Nullable Integer home) {

  public RunControlState {
    labels = Map.copyOf(labels);
    answers = List.copyOf(answers);
  }

  /** Whether a runner may carry the run in this epoch. */
  public boolean wants(int candidate) {
    return epoch == candidate
        && !ended
        && !paused
        && desired == DesiredState.RUNNING
        && kind == RunKind.MANAGED;
  }
}
