/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import dev.baton.protocol.state.AgentState;
import dev.baton.protocol.state.BranchState;
import dev.baton.protocol.state.BranchUndoRecord;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.state.StepState;
import dev.baton.protocol.trace.Cut;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Determines from the fold of a run's events which checkpoints the run may still need. Thread-safe.
 */
@ApplicationScoped
public class RequiredCheckpoints {
  /** The need of a run, as far as it matters for deletion. */
  public sealed interface Need {
    /** No event of the run is stored: it may be about to begin, or its events may be late. */
    record Unknown() implements Need {}

    /** The run has not ended. */
    record Alive(Set<String> checkpoints) implements Need {}

    /**
     * @param checkpoints from which a failed or lost run would be resumed
     */
    record Ended(Set<String> checkpoints) implements Need {}
  }

  private final RunFoldService folds;

  RequiredCheckpoints(RunFoldService folds) {
    this.folds = folds;
  }

  /** Determines the need. Fails with EXHAUSTED if the state is too large to be folded now. */
  public Uni<Need> of(String run) {
    return folds
        .fold(run, Long.MAX_VALUE)
        .map(folded -> folded.position() == 0 ? new Need.Unknown() : need(folded.run()));
  }

  static Need need(RunState state) {
    return switch (state.head().status()) {
      case COMPLETED, CANCELLED -> new Need.Ended(Set.of());
      case FAILED, LOST -> new Need.Ended(checkpoints(state));
      case PENDING, STARTING, RUNNING, WAITING, PAUSING, PAUSED, INTERRUPTED, RESUMING ->
          new Need.Alive(checkpoints(state));
    };
  }

  private static Set<String> checkpoints(RunState state) {
    Set<String> checkpoints = new HashSet<>();
    state.branches().values().forEach(branch -> add(checkpoints, branch));
    for (StepState step : state.steps().values()) {
      switch (step.status()) {
        case RUNNING, WAITING, INTERRUPTED, SKIPPING, FAILED -> {
          add(checkpoints, step.checkpoint());
          add(checkpoints, step.resumePoint());
          add(checkpoints, step.cut());
        }
        case COMPLETED, SKIPPED -> {}
      }
    }
    for (AgentState agent : state.agents().values()) {
      add(checkpoints, agent.rest() == null ? null : agent.rest().cut());
    }
    return checkpoints;
  }

  /** A branch may be reset to its newest cut, including the branches that were open at it. */
  private static void add(Set<String> checkpoints, BranchState branch) {
    add(checkpoints, branch.cut());
    BranchUndoRecord undo = branch.undo();
    if (undo != null) {
      undo.branches().values().forEach(inner -> add(checkpoints, inner));
      undo.steps()
          .values()
          .forEach(
              step -> {
                add(checkpoints, step.checkpoint());
                add(checkpoints, step.resumePoint());
                add(checkpoints, step.cut());
              });
    }
  }

  private static void add(Set<String> checkpoints, @Nullable Cut cut) {
    if (cut != null && cut.checkpoint() != null) {
      checkpoints.add(cut.checkpoint());
    }
  }
}
