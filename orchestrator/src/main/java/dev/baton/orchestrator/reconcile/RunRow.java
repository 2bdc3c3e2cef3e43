/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.protocol.state.ControlGap;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.RunKind;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A run as stored in its row.
 *
 * @param control what a plan may change
 * @param facts what a plan only reads
 */
public record RunRow(String id, RunControl control, Facts facts) {

  /**
   * What others write: the request that created the run, and the projection of its trace.
   *
   * @param restart {@code always} or {@code never}
   * @param definitionHash null for an external run without a definition
   * @param limited the run's workflow or project has a limit of active runs
   * @param defined the run's definition is stored here
   * @param owing effects of the run are in the outbox
   * @param deferred a signal of the run is deferred
   * @param startedEpoch the newest epoch whose runner has written to the trace; 0 when none has
   * @param saved a replacement would not start from the beginning
   * @param progress number of completed steps, and of checkpoints inside steps that resume from
   *     them
   * @param active the steps in progress according to the trace
   * @param controlGap what the log lacks; null for nothing, and once a person has resumed the run
   */
  public record Facts(
      RunKind kind,
      String restart,
      @Nullable Instant deadline,
      @Nullable String workflow,
      @Nullable String definitionHash,
      boolean limited,
      boolean defined,
      boolean deleting,
      boolean owing,
      boolean deferred,
      int startedEpoch,
      boolean saved,
      long progress,
      SortedSet<String> active,
      @Nullable ControlGap controlGap) {
    public Facts {
      active = Collections.unmodifiableSortedSet(new TreeSet<>(active));
    }

    /**
     * @param more effects were added to the outbox
     */
    Facts owing(boolean more) {
      return new Facts(
          kind,
          restart,
          deadline,
          workflow,
          definitionHash,
          limited,
          defined,
          deleting,
          owing || more,
          deferred,
          startedEpoch,
          saved,
          progress,
          active,
          controlGap);
    }
  }

  /** Whether the run is parked in its current epoch. */
  public boolean isParked() {
    RunControl.ParkedWait parked = control.parked();
    return parked != null && parked.epoch() == control.epoch();
  }

  /** Whether the run must pause because of a gap in its log. */
  boolean isToPauseAtGap() {
    RunControl.ParkedWait parked = control.parked();
    return parked != null && parked.epoch() == RunControl.ParkedWait.GAP;
  }

  /** The wait that remains when an epoch begins: waits of earlier epochs end. */
  RunControl.@Nullable ParkedWait waitOfNextEpoch() {
    return isToPauseAtGap() ? control.parked() : null;
  }

  /**
   * Whether a runner may carry the run in this epoch. The view {@code run_wanting_runner} is the
   * same predicate in SQL, for the current epoch.
   */
  public boolean wantsRunner(int epoch) {
    return control.epoch() == epoch
        && !control.ended()
        && control.desired() == DesiredState.RUNNING
        && facts.kind() == RunKind.MANAGED
        && control.status() != RunStatus.PAUSED
        && !isParked()
        && control.queued() == null;
  }

  /** Whether the runner of the current epoch has written to the trace. */
  boolean isAlive() {
    return facts.startedEpoch() >= control.epoch();
  }

  boolean isOverdue(Instant now) {
    Instant deadline = facts.deadline();
    return deadline != null && !deadline.isAfter(now);
  }
}
