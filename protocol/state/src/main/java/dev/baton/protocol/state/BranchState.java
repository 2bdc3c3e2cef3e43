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
 * How far one line of steps is: the main line, or a branch of a parallel step.
 *
 * @param begun whether any step of it has ended; until then it begins with its first step
 * @param next the ids of what comes next on this line, as the last ended step said; empty when it
 *     has ended
 * @param cut the newest workspace of this line; null while it still has the one it began with
 * @param uncommitted steps that ended after the newest cut without one of their own, oldest first:
 *     the next epoch runs them again
 * @param failed whether a step of it has failed and nothing said what happens then; it begins again
 *     when its parallel step, or the run, is tried again
 * @param last the step of it that completed last; null while none has
 * @param undo how to go back to the newest cut; null while nothing is uncommitted
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
   * A step that completed, and so far none after it.
   *
   * @param step its path
   * @param output what it left, if anything: the branch's own, when that has ended
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
