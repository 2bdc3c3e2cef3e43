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

/** Whether a run can go on as someone asks. Stateless. */
public final class ResumeRequestChecker {
  private ResumeRequestChecker() {}

  /**
   * For people; empty when it can.
   *
   * @param as the state as of which it goes on: the newest, or with {@code from} the one of its
   *     {@link ResumeStateFinder}
   * @param before the definition by which it has run
   * @param after the one by which it is to go on; the same where there is no other
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
          "skip: step '%s' is not what the run goes on with; %s"
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
          ? "nothing is left to be done"
          : "that is '" + StepPath.idOf(main.next().getFirst()) + "'";
    }
    return "that is '" + workflow.flow().first().id() + "'";
  }
}
