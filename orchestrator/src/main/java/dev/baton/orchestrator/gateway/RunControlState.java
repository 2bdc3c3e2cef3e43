/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.orchestrator.reconcile.PauseMode;
import dev.baton.orchestrator.reconcile.RunRow;
import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.protocol.grpc.Answer;
import dev.baton.protocol.workflow.IsolationMode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The orchestrator's state of a run: all that is needed to assign it to a runner.
 *
 * @param forked the run begins with a cut of another run
 * @param input JSON; null when the run has none
 * @param home the run's home partition; null while it is not known
 * @param answers all answers given so far
 */
public record RunControlState(
    RunRow row,
    String project,
    IsolationMode isolation,
    boolean forked,
    Instant createdAt,
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

  public String run() {
    return row.id();
  }

  public int epoch() {
    return row.control().epoch();
  }

  public DesiredState desired() {
    return row.control().desired();
  }

  /** The requested pause; null when none is requested. */
  public @Nullable PauseMode pause() {
    return row.control().pause();
  }

  /** The runner that the current epoch is assigned to; null when none is yet. */
  public @Nullable String runner() {
    return row.control().runner();
  }

  /** The newest epoch whose runner has written to the trace; the projection may lag. */
  public int startedEpoch() {
    return row.facts().startedEpoch();
  }

  public @Nullable String definitionHash() {
    return row.facts().definitionHash();
  }

  public @Nullable Instant deadline() {
    return row.facts().deadline();
  }

  /** Whether a runner may carry the run in this epoch. */
  public boolean wants(int candidate) {
    return row.wantsRunner(candidate);
  }
}
