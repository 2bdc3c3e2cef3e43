/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the orchestrator reports of a run that belongs to a Run.
 *
 * @param status as in the REST API
 * @param ended no runner continues it without a resume
 * @param step path of one that has started and not ended
 * @param approval that waits for a person
 * @param queued why it waits for a runner
 * @param error of a run that has failed or was lost
 * @param onDelete the policy that the orchestrator has stored
 */
public record RunReport(
    ResourceKey resource,
    String run,
    String status,
    boolean ended,
    int epoch,
    @Nullable String step,
    long completedSteps,
    @Nullable Approval approval,
    @Nullable Runner runner,
    @Nullable Queued queued,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    @Nullable String error,
    RunDeletionPolicy onDelete) {

  /** An approval that waits for a person. */
  public record Approval(String id, String step, String prompt) {}

  /**
   * @param phase of a runner that has not attached yet, as in the REST API; null afterwards
   * @param reason why its launcher has not started it yet; null if unknown
   */
  public record Runner(
      String id, @Nullable String host, @Nullable String phase, @Nullable String reason) {
    /** Returns whether its program has not started yet. */
    boolean isStarting() {
      return phase != null && !phase.equals("running");
    }
  }

  /**
   * Why a run waits for a runner.
   *
   * @param reason in snake case as in the REST API
   */
  public record Queued(String reason, @Nullable String detail) {}
}
