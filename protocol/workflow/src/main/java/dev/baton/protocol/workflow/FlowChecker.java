/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks that targets exist, cycles are bounded, and steps are reachable. */
final class FlowChecker {
  private final DefinitionSymbolTable notes;
  private final DefinitionProblemCollector problems;
  private final Map<String, List<DefinitionSymbolTable.Target>> targets = new HashMap<>();
  private final Set<String> readable = new HashSet<>();

  FlowChecker(DefinitionSymbolTable notes, DefinitionProblemCollector problems) {
    this.notes = notes;
    this.problems = problems;
    for (DefinitionSymbolTable.Target target : notes.targets()) {
      String step = target.place().step();
      if (step != null) {
        targets.computeIfAbsent(step, id -> new ArrayList<>()).add(target);
      }
    }
  }

  void check(Workflow workflow) {
    workflow.allSteps().forEach(step -> readable.add(step.id()));
    check(workflow.flow());
  }

  private void check(StepFlow flow) {
    Set<String> ids =
        flow.steps().stream().map(Step::id).collect(Collectors.toCollection(HashSet::new));
    for (Step step : flow.steps()) {
      for (DefinitionSymbolTable.Target target : targets.getOrDefault(step.id(), List.of())) {
        checkTarget(target, ids);
      }
      step.kind().lists().values().forEach(this::check);
    }
    FlowGraph graph = new FlowGraph(flow);
    checkCycles(flow, graph);
    BitSet reachable = graph.reachable();
    for (int i = reachable.nextClearBit(0);
        i < flow.steps().size();
        i = reachable.nextClearBit(i + 1)) {
      DefinitionCursor place = place(flow.steps().get(i));
      problems.warning(
          place.node().mark(), place.step(), place.path(), "nothing leads to this step");
    }
  }

  private void checkTarget(DefinitionSymbolTable.Target target, Set<String> ids) {
    if (target.to().equals(StepTransition.END) || ids.contains(target.to())) {
      return;
    }
    boolean elsewhere = notes.ids().containsKey(target.to());
    if (elsewhere && !readable.contains(target.to())) {
      // It exists, but could not be decoded; its own problems are reported.
      return;
    }
    problems.error(
        target.place(),
        elsewhere
            ? "step '" + target.to() + "' is in another list of steps"
            : "unknown step '" + target.to() + "'" + SpellingSuggester.didYouMean(target.to(), ids),
        ids.size() <= 20
            ? ids.stream().sorted().collect(Collectors.joining(", ")) + ", end"
            : "a step of the same list, or end");
  }

  private DefinitionCursor place(Step step) {
    DefinitionCursor place = notes.ids().get(step.id());
    return place == null
        ? new DefinitionCursor(new LocatedNode.Items(SourcePosition.NONE, List.of()), "", step.id())
        : place;
  }

  private enum Color {
    NEW,
    OPEN,
    DONE
  }

  /**
   * Reports cycles without a bound: without the steps that have {@code max_visits}, the graph must
   * be acyclic. Reports the first cycle of each connected part.
   */
  private void checkCycles(StepFlow flow, FlowGraph graph) {
    List<Step> steps = flow.steps();
    Color[] colors = new Color[steps.size()];
    for (int i = 0; i < colors.length; i++) {
      colors[i] = steps.get(i).maxVisits().isPresent() ? Color.DONE : Color.NEW;
    }
    for (int i = 0; i < colors.length; i++) {
      if (colors[i] == Color.NEW) {
        search(flow, graph, colors, i);
      }
    }
  }

  /** Searches depth first, without recursion: a list may be ten thousand steps long. */
  private void search(StepFlow flow, FlowGraph graph, Color[] colors, int start) {
    ArrayDeque<Integer> path = new ArrayDeque<>();
    Map<Integer, Integer> tried = new HashMap<>();
    path.push(start);
    colors[start] = Color.OPEN;
    while (!path.isEmpty()) {
      int at = path.element();
      int edge = tried.merge(at, 1, Integer::sum) - 1;
      if (edge >= graph.ways(at).size()) {
        colors[at] = Color.DONE;
        path.pop();
        continue;
      }
      int to = graph.ways(at).get(edge);
      if (colors[to] == Color.OPEN) {
        report(flow, path, to);
      } else if (colors[to] == Color.NEW) {
        colors[to] = Color.OPEN;
        path.push(to);
      }
    }
  }

  private void report(StepFlow flow, ArrayDeque<Integer> path, int to) {
    List<String> names = new ArrayList<>();
    for (int at : path) {
      names.addFirst(flow.steps().get(at).id());
      if (at == to) {
        break;
      }
    }
    names.add(flow.steps().get(to).id());
    String shown =
        names.size() <= 20
            ? String.join(" → ", names)
            : String.join(" → ", names.subList(0, 10)) + " → … → " + names.getLast();
    problems.error(
        place(flow.steps().get(path.element())),
        "the cycle " + shown + " has no bound",
        "max_visits on one of its steps");
  }
}
