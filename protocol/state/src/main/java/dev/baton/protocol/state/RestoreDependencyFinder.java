/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.trace.Cut;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a new epoch would restore certain checkpoints, or a cut that has no checkpoint.
 *
 * @param checkpoint accepts the ids of these checkpoints
 */
record RestoreDependencyFinder(Predicate<String> checkpoint) {
  boolean isNeededBy(RunState state) {
    return state.branches().values().stream().anyMatch(this::isNeededBy)
        || state.steps().values().stream().anyMatch(this::isNeededBy);
  }

  boolean isNeededBy(StepState step) {
    return !step.hasEnded() && isNeeded(step.resumePoint());
  }

  boolean isNeededBy(BranchState branch) {
    if (isNeeded(branch.cut())) {
      return true;
    }
    BranchUndoRecord undo = branch.undo();
    return undo != null
        && (undo.branches().values().stream().anyMatch(this::isNeededBy)
            || undo.steps().values().stream().anyMatch(this::isNeededBy));
  }

  private boolean isNeeded(@Nullable Cut cut) {
    return cut != null && (cut.checkpoint() == null || checkpoint.test(cut.checkpoint()));
  }
}
