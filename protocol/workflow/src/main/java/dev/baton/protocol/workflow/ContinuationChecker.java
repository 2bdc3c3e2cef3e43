/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Checks that agent steps continue the conversations of agent steps that can run before them. */
final class ContinuationChecker {
  /** The position of a step: its list, its index in it, and the parallel step around the list. */
  private record Home(Step step, FlowGraph graph, StepFlow flow, int index, @Nullable Home around) {
    /** The agent steps of the same and the enclosing lists that may have run before this step. */
    Map<String, StepKind.Agent> earlier() {
      Map<String, StepKind.Agent> earlier = new HashMap<>();
      for (Home at = this; at != null; at = at.around()) {
        List<Step> steps = at.flow().steps();
        at.graph().earlier(at.index()).stream()
            .mapToObj(steps::get)
            .filter(other -> !other.id().equals(step.id()))
            .forEach(
                other -> {
                  if (other.kind() instanceof StepKind.Agent agent) {
                    earlier.put(other.id(), agent);
                  }
                });
      }
      return earlier;
    }
  }

  private final DefinitionSymbolTable notes;
  private final DefinitionProblemCollector problems;
  private final Map<String, Home> homes = new HashMap<>();

  ContinuationChecker(DefinitionSymbolTable notes, DefinitionProblemCollector problems) {
    this.notes = notes;
    this.problems = problems;
  }

  void check(Workflow workflow) {
    if (notes.continuations().isEmpty()) {
      return;
    }
    locate(workflow.flow(), null);
    for (DefinitionSymbolTable.Target target : notes.continuations()) {
      String self = target.place().step();
      Home home = self == null ? null : homes.get(self);
      if (home != null && home.step().kind() instanceof StepKind.Agent agent) {
        check(target, home, agent);
      }
    }
  }

  private void locate(StepFlow flow, @Nullable Home around) {
    FlowGraph graph = new FlowGraph(flow);
    for (int i = 0; i < flow.steps().size(); i++) {
      Step step = flow.steps().get(i);
      Home home = new Home(step, graph, flow, i, around);
      homes.put(step.id(), home);
      step.kind().lists().values().forEach(list -> locate(list, home));
    }
  }

  private void check(DefinitionSymbolTable.Target target, Home home, StepKind.Agent agent) {
    String id = target.to();
    String self = home.step().id();
    Home other = homes.get(id);
    Map<String, StepKind.Agent> earlier = home.earlier();
    if (other == null) {
      // A step that could not be decoded has problems of its own.
      if (!notes.ids().containsKey(id)) {
        error(
            target,
            "step '%s' continues an unknown step '%s'".formatted(self, id)
                + SpellingSuggester.didYouMean(id, earlier.keySet()),
            earlier.keySet());
      }
    } else if (!(other.step().kind() instanceof StepKind.Agent continued)) {
      error(
          target,
          "step '%s' continues step '%s', which is not an agent step".formatted(self, id),
          earlier.keySet());
    } else if (!earlier.containsKey(id)) {
      error(
          target,
          id.equals(self)
              ? "step '%s' continues itself".formatted(self)
              : "step '%s' continues step '%s', which cannot run before it or is in another branch"
                  .formatted(self, id),
          earlier.keySet());
    } else if (!continued.use().equals(agent.use())) {
      problems.error(
          target.place(),
          "step '%s' has 'use: %s' and continues step '%s', which has 'use: %s'"
              .formatted(self, agent.use(), id, continued.use()),
          "a step with the same 'use'");
    }
  }

  private void error(DefinitionSymbolTable.Target target, String message, Set<String> ids) {
    List<String> shown = new ArrayList<>(new TreeSet<>(ids));
    problems.error(
        target.place(),
        message,
        shown.isEmpty()
            ? "no agent step can run before this one"
            : String.join(", ", shown.subList(0, Math.min(20, shown.size()))));
  }
}
