/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds a {@link BranchUndoRecord} while its branch is uncommitted. Not thread-safe. */
final class UndoLog {
  private final StepFoldState before;
  private final Set<String> touched;
  private final Map<String, BranchState> branches;
  private final Set<String> asked;
  private final BranchState.@Nullable Last last;

  private UndoLog(
      StepFoldState before,
      Collection<String> touched,
      Map<String, BranchState> branches,
      Collection<String> asked,
      BranchState.@Nullable Last last) {
    this.before = before;
    this.touched = new LinkedHashSet<>(touched);
    this.branches = new LinkedHashMap<>(branches);
    this.asked = new LinkedHashSet<>(asked);
    this.last = last;
  }

  /**
   * Starts the log of a branch that becomes uncommitted.
   *
   * @param open its inner branches
   * @param last the step of the branch that completed last
   */
  static UndoLog begin(Map<String, BranchState> open, BranchState.@Nullable Last last) {
    return new UndoLog(
        StepFoldState.copyOf(Map.of(), Map.of(), Map.of(), Map.of(), Map.of()),
        Set.of(),
        open,
        Set.of(),
        last);
  }

  /** Restores the log of an uncommitted branch from its stored form. */
  static UndoLog of(BranchState branch) {
    BranchUndoRecord undo = Objects.requireNonNull(branch.undo());
    return new UndoLog(
        StepFoldState.copyOf(
            undo.steps(), undo.reroutes(), undo.sessions(), undo.plans(), undo.milestones()),
        undo.touched(),
        undo.branches(),
        undo.asked(),
        undo.last());
  }

  /** Saves the step's data before its first event since the cut is applied. */
  void touch(String path, StepFoldState now) {
    if (touched.add(path)) {
      now.copy(path, before);
    }
  }

  /** Notes an approval that was requested since the cut. */
  void ask(String approval) {
    asked.add(approval);
  }

  /** Restores the saved steps. */
  void restore(StepFoldState now) {
    touched.forEach(path -> before.copy(path, now));
  }

  Map<String, BranchState> branches() {
    return branches;
  }

  Set<String> asked() {
    return asked;
  }

  BranchState.@Nullable Last last() {
    return last;
  }

  BranchUndoRecord written() {
    return new BranchUndoRecord(
        touched,
        before.steps(),
        before.reroutes(),
        before.sessions(),
        before.plans(),
        branches,
        asked,
        before.milestones(),
        last);
  }
}
