/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Output;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress of one sequence of steps: the main line, or a branch of a parallel step.
 *
 * @param begun whether any step of it has ended; until then it begins with its first step
 * @param next ids of the next steps, as the last ended step set them; empty when the branch has
 *     ended
 * @param cut the newest cut of its files; null while it still has the files it began with
 * @param uncommitted steps that ended after the newest cut without one of their own, oldest first:
 *     the next epoch runs them again
 * @param failed whether a step of it failed without a next step; the branch restarts when its
 *     parallel step, or the run, is retried
 * @param last the step of it that completed last; null while none has
 * @param undo the record to roll back to the newest cut; null while nothing is uncommitted
 */
public record BranchState(
    boolean begun,
    List<String> next,
    @Nullable Cut cut,
    List<String> uncommitted,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean failed,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Last last,
    @Nullable BranchUndoRecord undo) {
  public static final BranchState UNBEGUN =
      new BranchState(false, List.of(), null, List.of(), false, null, null);

  /**
   * The step that completed last.
   *
   * @param step its path
   * @param output its output, if any; the branch's output once the branch has ended
   */
  public record Last(String step, @Nullable Output output) {}

  public BranchState {
    next = List.copyOf(next);
    uncommitted = List.copyOf(uncommitted);
  }

  BranchState withCut(@Nullable Cut with) {
    return new BranchState(begun, next, with, uncommitted, failed, last, undo);
  }

  BranchState withUndo(@Nullable BranchUndoRecord with) {
    return new BranchState(begun, next, cut, uncommitted, failed, last, with);
  }

  BranchState withFailed(boolean with) {
    return new BranchState(begun, next, cut, uncommitted, with, last, undo);
  }

  BranchState withLast(Last with) {
    return new BranchState(begun, next, cut, uncommitted, failed, with, undo);
  }

  BranchState withNext(String with) {
    return new BranchState(true, List.of(with), cut, uncommitted, false, last, undo);
  }
}
