/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import dev.baton.orchestrator.outbox.OutboxEffect;
import dev.baton.orchestrator.reconcile.RunObservation.ResumeRequested;
import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.RunKind;
import dev.baton.protocol.trace.TraceEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Plans a requested resume: the rows {@code ResumeRequested} of the table of {@link RunPlanner}.
 * Pure.
 */
final class ResumePlanner {
  private ResumePlanner() {}

  static RunPlan plan(RunRow row, ResumeRequested observed, Instant now) {
    String problem = problem(row, observed, now);
    if (problem != null) {
      return RunPlan.none(row, new RunOutcome.Rejected(problem));
    }
    int epoch = row.control().epoch() + 1;
    List<OutboxEffect> effects = new ArrayList<>();
    TraceEvent.ResumeRequested changes = observed.changes();
    long seq = row.control().controlSeq();
    if (changes != null) {
      effects.add(OutboxEffect.publish(changes, ++seq, now));
    }
    effects.addAll(
        OutboxEffect.newEpoch(
            new TraceEvent.RunnerAssigned(epoch, null, TraceEvent.RunnerAssigned.RESUME),
            seq + 1,
            now));
    QueuedEpoch start = new QueuedEpoch(epoch, effects, observed.definition());
    if (!row.facts().limited()) {
      return RunPlanner.begin(row, start, now);
    }
    RunControl.Change next = row.control().change();
    next.queued = start;
    return RunPlan.of(row, next, List.of(), new RunOutcome.Changed("queued"));
  }

  /** Returns why the run cannot be resumed, or null. */
  private static @Nullable String problem(RunRow row, ResumeRequested observed, Instant now) {
    String state = stateProblem(row, observed.workflow());
    if (state != null) {
      return state;
    }
    if (row.facts().kind() != RunKind.MANAGED) {
      return "run %s is external: the orchestrator cannot start its runner".formatted(row.id());
    }
    if (!row.facts().defined()) {
      return "the definition %s of run %s is not stored here: put the same workflow first"
          .formatted(row.facts().definitionHash(), row.id());
    }
    if (row.isOverdue(now)) {
      return "deadline_exceeded: the deadline of run %s was %s; a fork may have another deadline"
          .formatted(row.id(), row.facts().deadline());
    }
    return observed.seenEpoch() == null || observed.seenEpoch() == row.control().epoch()
        ? null
        : "run %s was already resumed by another request; read its status again"
            .formatted(row.id());
  }

  private static @Nullable String stateProblem(RunRow row, @Nullable String workflow) {
    RunControl run = row.control();
    String name = Objects.requireNonNullElse(row.facts().workflow(), "");
    if (workflow != null
        && !workflow.equals(name)
        && !workflow.equals(name + "@" + row.facts().definitionHash())) {
      return "run %s is of workflow '%s', not of '%s'".formatted(row.id(), name, workflow);
    }
    if (run.status() == RunStatus.COMPLETED) {
      return "run %s has completed and cannot be resumed; fork it to start from one of its checkpoints"
          .formatted(row.id());
    }
    if (run.status() == RunStatus.CANCELLED || run.desired() == DesiredState.CANCELLED) {
      return "run %s was cancelled and cannot be resumed; fork it to start from one of its checkpoints"
          .formatted(row.id());
    }
    if (row.facts().deleting()) {
      return "run %s is being deleted and cannot be resumed".formatted(row.id());
    }
    if (run.queued() != null) {
      return "run %s is queued to be resumed already".formatted(row.id());
    }
    boolean isPaused = run.status() == RunStatus.PAUSED || run.desired() == DesiredState.PAUSED;
    // A parked run, and one imported from an archive, wait without a runner.
    boolean isAbandoned =
        run.runner() == null && !row.facts().owing() && run.desired() == DesiredState.RUNNING;
    if (run.ended() || isPaused || isAbandoned) {
      return null;
    }
    return run.pause() == null
        ? "run %s is %s: only one that failed, was lost or is paused can be resumed"
            .formatted(row.id(), run.status().word())
        : "run %s is still %s: it can be resumed once it is paused"
            .formatted(row.id(), run.status().word());
  }
}
