/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.Workflow;
import java.util.ArrayList;
import java.util.List;

/** Checks whether a run can resume as requested. Stateless. */
public final class ResumeRequestChecker {
  private ResumeRequestChecker() {}

  /**
   * Returns messages for a person; empty when the run can resume.
   *
   * @param as the state to resume from: the newest, or with {@code from} the one that {@link
   *     ResumeStateFinder} found
   * @param before the definition it has run with
   * @param after the definition to resume with; the same where it does not change
   */
  public static List<String> problems(
      TraceEvent.ResumeRequested asked, RunState as, Workflow before, Workflow after) {
    StateFold fold = new StateFold(as);
    fold.settle();
    RunState state = fold.state();
    List<String> problems = new ArrayList<>();
    asked.set().keySet().forEach(path -> checkSet(path, asked, state, problems));
    asked.skip().forEach(path -> checkSkip(path, asked, state, after, problems));
    if (!before.equals(after)) {
      problems.addAll(DefinitionChangeChecker.problems(after, state));
      problems.addAll(DefinitionChangeChecker.changedInputs(before, after, state));
    }
    return problems;
  }

  private static void checkSet(
      String path, TraceEvent.ResumeRequested asked, RunState state, List<String> problems) {
    StepState step = state.steps().get(path);
    if (step == null || step.status() != StepState.Status.COMPLETED) {
      problems.add(
          "set: step '%s' has not completed%s: only the output of a completed step can be corrected"
              .formatted(path, asked.from() == null ? "" : " before '" + asked.from() + "'"));
    }
  }

  private static void checkSkip(
      String path,
      TraceEvent.ResumeRequested asked,
      RunState state,
      Workflow workflow,
      List<String> problems) {
    StepState step = state.steps().get(path);
    boolean open = step != null && !step.hasEnded();
    if (!open && !path.equals(asked.from()) && !isNext(path, state, workflow)) {
      problems.add(
          "skip: step '%s' is not the run's next step; %s"
              .formatted(path, nextOf(state, workflow)));
    }
  }

  private static boolean isNext(String path, RunState state, Workflow workflow) {
    String branch = StepPath.branchOf(path);
    BranchState line = state.branch(branch);
    if (line.begun()) {
      return line.next().stream().anyMatch(id -> StepPath.idOf(id).equals(StepPath.idOf(path)));
    }
    return branch.equals(StepPath.MAIN) && workflow.flow().first().id().equals(path);
  }

  private static String nextOf(RunState state, Workflow workflow) {
    BranchState main = state.branch(StepPath.MAIN);
    if (main.begun()) {
      return main.next().isEmpty()
          ? "no steps are left"
          : "the next step is '" + StepPath.idOf(main.next().getFirst()) + "'";
    }
    return "the next step is '" + workflow.flow().first().id() + "'";
  }
}
