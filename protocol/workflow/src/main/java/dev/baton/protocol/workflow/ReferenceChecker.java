/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.expression.ScopeReference;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Checks that the names in expressions exist when they are evaluated. */
final class ReferenceChecker {
  private static final List<String> ROOTS = List.of("input", "steps", "run");
  private static final List<String> STEP = List.of("output", "outcome", "error");
  private static final List<String> RUN =
      List.of("id", "display_id", "project", "workflow", "created_at", "labels", "branch");

  /** The parallel step that contains a flow. */
  private record Around(Step parallel, Home home) {}

  /** The position of a step: its flow, its index in it, and the enclosing parallel step. */
  private record Home(StepFlow flow, FlowGraph graph, int index, @Nullable Around around) {}

  private final DefinitionSymbolTable notes;
  private final DefinitionProblemCollector problems;
  private final Map<String, Home> homes = new HashMap<>();
  private final Map<String, BitSet> earlier = new HashMap<>();

  ReferenceChecker(DefinitionSymbolTable notes, DefinitionProblemCollector problems) {
    this.notes = notes;
    this.problems = problems;
  }

  void check(Workflow workflow) {
    locate(workflow.flow(), null);
    JsonNode schema = workflow.input().json();
    for (DefinitionSymbolTable.Use use : notes.uses()) {
      switch (use.reference().root()) {
        case "steps" -> checkStep(use);
        case "input" -> checkInput(use, schema);
        case "run" -> checkRun(use);
        default ->
            error(
                use,
                "unknown name '."
                    + use.reference().root()
                    + "'"
                    + SpellingSuggester.didYouMean(use.reference().root(), ROOTS),
                ".input, .steps, .run");
      }
    }
  }

  private void locate(StepFlow flow, @Nullable Around around) {
    FlowGraph graph = new FlowGraph(flow);
    for (int i = 0; i < flow.steps().size(); i++) {
      Step step = flow.steps().get(i);
      Home home = new Home(flow, graph, i, around);
      homes.put(step.id(), home);
      Around within = new Around(step, home);
      step.kind().lists().values().forEach(list -> locate(list, within));
    }
  }

  private void checkStep(DefinitionSymbolTable.Use use) {
    List<String> path = use.reference().path();
    if (path.size() < 2) {
      return;
    }
    String id = path.get(1);
    Home target = homes.get(id);
    Home from = use.place().step() == null ? null : homes.get(use.place().step());
    if (target == null) {
      // A step that could not be decoded has problems of its own.
      if (!notes.ids().containsKey(id)) {
        missing(use, id, from);
      }
      return;
    }
    if (path.size() > 2 && !STEP.contains(path.get(2))) {
      error(use, "a step has no '" + path.get(2) + "'", String.join(", ", STEP));
    }
    if (from != null) {
      checkOrder(use, id, target, from);
    }
  }

  private void missing(DefinitionSymbolTable.Use use, String id, @Nullable Home from) {
    Set<String> ids = homes.keySet();
    String dashed =
        ids.stream().filter(known -> known.startsWith(id + "-")).findFirst().orElse(null);
    String hint =
        dashed == null
            ? SpellingSuggester.didYouMean(id, ids)
            : "; a name with a dash is written .steps[\"" + dashed + "\"]";
    error(use, "unknown step '" + id + "'" + hint, visible(from));
  }

  private void checkOrder(DefinitionSymbolTable.Use use, String id, Home target, Home from) {
    String self = use.place().step();
    for (Home at = from; at != null; at = at.around() == null ? null : at.around().home()) {
      if (at.flow() != target.flow()) {
        continue;
      }
      boolean known =
          at == from
              && switch (use.moment()) {
                case BEFORE_STEP -> false;
                case AFTER_STEP -> target.index() == from.index();
                case AT_END_OF_LIST -> true;
              };
      if (!known && !earlierOf(at).get(target.index())) {
        String here = at.flow().steps().get(at.index()).id();
        error(
            use,
            id.equals(self)
                ? "step '" + id + "' has no output before it has run"
                : id.equals(here)
                    ? "step '" + id + "' has no output before all its branches have ended"
                    : "step '" + id + "' can only run later",
            visible(from));
      }
      return;
    }
    Around around = target.around();
    String parallel = around == null ? "" : around.parallel().id();
    error(
        use,
        "step '" + id + "' is in a branch of '" + parallel + "' and not visible from here",
        visible(from));
  }

  private BitSet earlierOf(Home home) {
    String id = home.flow().steps().get(home.index()).id();
    return earlier.computeIfAbsent(id, key -> home.graph().earlier(home.index()));
  }

  /** Returns the steps that can be referenced, for a message. */
  private String visible(@Nullable Home from) {
    Set<String> ids = new TreeSet<>();
    for (Home at = from; at != null; at = at.around() == null ? null : at.around().home()) {
      List<Step> steps = at.flow().steps();
      earlierOf(at).stream().limit(50).forEach(i -> ids.add(steps.get(i).id()));
    }
    if (ids.isEmpty()) {
      return "no step has run before this one";
    }
    List<String> shown = new ArrayList<>(ids);
    return shown.size() <= 20
        ? String.join(", ", shown)
        : String.join(", ", shown.subList(0, 20)) + ", …";
  }

  /** Only where the schema allows no additional properties. */
  private void checkInput(DefinitionSymbolTable.Use use, JsonNode schema) {
    List<String> path = use.reference().path();
    JsonNode additional = schema.path("additionalProperties");
    JsonNode properties = schema.path("properties");
    boolean closed = additional.isBoolean() && !additional.booleanValue() && properties.isObject();
    boolean composed =
        schema.has("patternProperties")
            || schema.has("$ref")
            || schema.has("allOf")
            || schema.has("anyOf")
            || schema.has("oneOf");
    if (path.size() < 2 || !closed || composed || properties.has(path.get(1))) {
      return;
    }
    Set<String> names = new HashSet<>();
    properties.fieldNames().forEachRemaining(names::add);
    error(
        use,
        "the input has no '" + path.get(1) + "'" + SpellingSuggester.didYouMean(path.get(1), names),
        String.join(", ", new TreeSet<>(names)));
  }

  private void checkRun(DefinitionSymbolTable.Use use) {
    List<String> path = use.reference().path();
    if (path.size() < 2) {
      return;
    }
    Home from = use.place().step() == null ? null : homes.get(use.place().step());
    if (!RUN.contains(path.get(1))) {
      error(
          use,
          "a run has no '" + path.get(1) + "'" + SpellingSuggester.didYouMean(path.get(1), RUN),
          String.join(", ", RUN));
    } else if (path.get(1).equals("branch") && from != null && from.around() == null) {
      error(use, "'.run.branch' is only there within a parallel", null);
    }
  }

  private void error(DefinitionSymbolTable.Use use, String message, @Nullable String allowed) {
    ScopeReference reference = use.reference();
    problems.error(
        use.mark(),
        use.place().step(),
        use.place().path(),
        message + " (." + String.join(".", reference.path()) + ")",
        allowed);
  }
}
