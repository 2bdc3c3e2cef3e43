/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.workflow.Step;
import dev.baton.protocol.workflow.StepChange;
import dev.baton.protocol.workflow.StepFlow;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.protocol.workflow.Workflow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks whether a run can resume with another definition than the one it began with: every
 * completed step must still exist with the same kind, and the next step of every branch must exist.
 * Stateless.
 */
public final class DefinitionChangeChecker {
  private DefinitionChangeChecker() {}

  /**
   * Returns a message for a person for each step that does not match; empty when the run can
   * resume.
   */
  public static List<String> problems(Workflow workflow, RunState state) {
    List<String> problems = new ArrayList<>();
    for (StepState done : state.steps().values()) {
      if (done.status() == StepState.Status.COMPLETED) {
        Optional<Step> now = find(workflow.flow(), done.step());
        if (now.isEmpty()) {
          problems.add(
              "step '%s' has completed and is not in the definition".formatted(done.step()));
        } else if (!now.get().kind().word().equals(done.kind())) {
          problems.add(
              "step '%s' has completed as %s and is %s in the definition"
                  .formatted(done.step(), done.kind(), now.get().kind().word()));
        }
      }
    }
    state
        .branches()
        .forEach(
            (branch, line) ->
                line.next().stream()
                    .map(id -> StepPath.of(branch, StepPath.idOf(id)))
                    .filter(path -> find(workflow.flow(), path).isEmpty())
                    .forEach(
                        path ->
                            problems.add(
                                "the run resumes with step '%s', which is not in the definition"
                                    .formatted(path))));
    return problems;
  }

  /**
   * Returns a message for a person for each completed step whose inputs differ in the new
   * definition; steps missing from it are reported by {@link #problems}.
   */
  static List<String> changedInputs(Workflow before, Workflow after, RunState state) {
    List<String> problems = new ArrayList<>();
    for (StepState done : state.steps().values()) {
      if (done.status() == StepState.Status.COMPLETED) {
        Optional<Step> old = find(before.flow(), done.step());
        Optional<Step> now = find(after.flow(), done.step());
        if (old.isPresent()
            && now.isPresent()
            && old.get().kind().word().equals(now.get().kind().word())
            && !StepChange.sameInputs(old.get(), now.get())) {
          problems.add(
              "step '%s' has completed with other inputs than the definition's"
                  .formatted(done.step()));
        }
      }
    }
    return problems;
  }

  private static Optional<Step> find(StepFlow flow, String path) {
    int slash = path.indexOf('/');
    if (slash < 0) {
      return flow.find(path);
    }
    int inner = path.indexOf('/', slash + 1);
    if (inner < 0) {
      return Optional.empty();
    }
    return flow.find(path.substring(0, slash))
        .flatMap(step -> branch(step.kind(), path.substring(slash + 1, inner)))
        .flatMap(body -> find(body, path.substring(inner + 1)));
  }

  private static Optional<StepFlow> branch(StepKind kind, String name) {
    Map<String, StepFlow> lists = kind.lists();
    return Optional.ofNullable(lists.getOrDefault(name, lists.get(StepKind.EACH)));
  }
}
