/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.trace.TraceEvent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Tracks steps that ended without a cut, and rolls them back. Works on the fold's own maps. Not
 * thread-safe.
 */
final class UncommittedStepTracker {
  private final String run;
  private final StepFoldState facts;
  private final TreeMap<String, BranchState> branches;
  private final Map<String, ApprovalState> approvals;

  /** By uncommitted branch. A branch comes before its inner branches. */
  private final TreeMap<String, UndoLog> undo = new TreeMap<>();

  UncommittedStepTracker(
      String run,
      StepFoldState facts,
      TreeMap<String, BranchState> branches,
      Map<String, ApprovalState> approvals) {
    this.run = run;
    this.facts = facts;
    this.branches = branches;
    this.approvals = approvals;
  }

  /** Returns the branches in their stored form, with their undo records. */
  Map<String, BranchState> written() {
    if (undo.isEmpty()) {
      return branches;
    }
    Map<String, BranchState> written = new TreeMap<>(branches);
    undo.forEach(
        (path, log) ->
            written.computeIfPresent(path, (key, branch) -> branch.withUndo(log.written())));
    return written;
  }

  /** Whether a rollback of a branch around a step may return to before its end. */
  boolean mayReturnTo(String step) {
    String branch = StepPath.branchOf(step);
    return undo.keySet().stream().anyMatch(outer -> StepPath.isWithin(branch, outer));
  }

  /** Commits the branch: its new cut contains all its steps. */
  void commit(String branch) {
    undo.remove(branch);
  }

  /** Drops all undo records: the caller replaces the state that they belong to. */
  void clear() {
    undo.clear();
  }

  /** Removes the branches inside a step or a branch. */
  void dropUnder(String path) {
    StepPath.under(branches, path).clear();
    StepPath.under(undo, path).clear();
  }

  /** Saves, before an event is applied, the data that a rollback would restore. */
  void remember(TraceEvent event) {
    boolean withoutCut = endsWithoutCut(event);
    String path = stepOf(event);
    if (path == null || (undo.isEmpty() && !withoutCut)) {
      return;
    }
    String branch = StepPath.branchOf(path);
    if (withoutCut && !undo.containsKey(branch)) {
      BranchState.Last last = branches.getOrDefault(branch, BranchState.UNBEGUN).last();
      undo.put(branch, UndoLog.begin(openUnder(branch), last));
    }
    undo.forEach(
        (uncommitted, log) -> {
          if (StepPath.isWithin(branch, uncommitted)) {
            log.touch(path, facts);
            if (event instanceof TraceEvent.ApprovalRequested asked
                && !approvals.containsKey(asked.approval())) {
              log.ask(asked.approval());
            }
          }
        });
  }

  private static boolean endsWithoutCut(TraceEvent event) {
    if (event instanceof TraceEvent.StepFailed failed) {
      return failed.next() != null && failed.withoutCut() && failed.cut() == null;
    }
    return event instanceof TraceEvent.StepCompleted done
        && done.withoutCut()
        && done.cut() == null;
  }

  private static @Nullable String stepOf(TraceEvent event) {
    if (event instanceof TraceEvent.OfStep ofStep) {
      return ofStep.step();
    }
    if (event instanceof TraceEvent.CheckpointSaved saved) {
      return saved.resumes() == null ? saved.step() : saved.resumes().step();
    }
    return null;
  }

  private Map<String, BranchState> openUnder(String branch) {
    Map<String, BranchState> open = new LinkedHashMap<>();
    StepPath.under(branches, branch)
        .forEach(
            (inner, state) -> {
              UndoLog log = undo.get(inner);
              open.put(inner, log == null ? state : state.withUndo(log.written()));
            });
    return open;
  }

  void open(String path, BranchState branch) {
    branches.put(path, branch.withUndo(null));
    if (!branch.uncommitted().isEmpty()) {
      undo.put(path, UndoLog.of(branch));
    }
  }

  /** Saves the data of all steps below a parallel step before they change at once. */
  void touchWithin(String prefix) {
    if (undo.isEmpty()) {
      return;
    }
    for (String inner : facts.steps().keySet()) {
      if (inner.startsWith(prefix)) {
        touch(inner);
      }
    }
  }

  /** Saves the data of a step before an event that is not of a step changes it. */
  void touch(String path) {
    undo.forEach(
        (uncommitted, log) -> {
          if (StepPath.isWithin(StepPath.branchOf(path), uncommitted)) {
            log.touch(path, facts);
          }
        });
  }

  /**
   * Rolls every branch back to its newest cut, outer branches first: of the inner ones, those that
   * were open at that cut remain and are rolled back in turn.
   */
  void takeBack() {
    while (!undo.isEmpty()) {
      String branch = undo.firstKey();
      UndoLog log = undo.get(branch);
      BranchState state = branches.get(branch);
      if (log == null || state == null) {
        throw new IllegalStateException("branch '" + branch + "' of run " + run + " is unknown");
      }
      log.restore(facts);
      approvals.keySet().removeAll(log.asked());
      dropUnder(branch);
      undo.remove(branch);
      String first = StepPath.idOf(state.uncommitted().getFirst());
      branches.put(
          branch,
          new BranchState(true, List.of(first), state.cut(), List.of(), false, log.last(), null));
      log.branches().forEach(this::open);
    }
  }
}
