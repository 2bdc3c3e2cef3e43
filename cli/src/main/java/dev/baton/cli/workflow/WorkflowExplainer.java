/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.workflow;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.workflow.JoinPolicy;
import dev.baton.protocol.workflow.Step;
import dev.baton.protocol.workflow.StepFlow;
import dev.baton.protocol.workflow.StepGate;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.protocol.workflow.StepTransition;
import dev.baton.protocol.workflow.Workflow;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Explains a definition step by step: each step's kind, and its successors. */
final class WorkflowExplainer {
  private final Workflow workflow;

  WorkflowExplainer(Workflow workflow) {
    this.workflow = workflow;
  }

  /** Returns the definition's own description. */
  Optional<String> description() {
    return workflow.description();
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    describe(workflow.flow(), "", lines);
    return lines;
  }

  ArrayNode json() {
    ArrayNode steps = Json.mapper().createArrayNode();
    describe(workflow.flow(), steps);
    return steps;
  }

  private void describe(StepFlow flow, String indent, List<String> lines) {
    int width = flow.steps().stream().mapToInt(step -> step.id().length()).max().orElse(0);
    for (int i = 0; i < flow.steps().size(); i++) {
      Step step = flow.steps().get(i);
      String facts = String.join(" · ", facts(step));
      lines.add(
          indent
              + step.id()
              + " ".repeat(width - step.id().length())
              + "  "
              + step.kind().word()
              + (facts.isEmpty() ? "" : "  " + facts)
              + "  → "
              + String.join(", ", ways(flow, i)));
      step.kind()
          .lists()
          .forEach(
              (name, list) -> {
                lines.add(indent + "  " + heading(step.kind(), name) + ":");
                describe(list, indent + "    ", lines);
              });
    }
  }

  private static String heading(StepKind kind, String list) {
    return kind instanceof StepKind.Over over
        ? "each item of " + over.items().text()
        : "branch " + list;
  }

  private List<String> facts(Step step) {
    List<String> facts = new ArrayList<>();
    step.when().ifPresent(when -> facts.add("when " + when.text()));
    if (step.retry().max() > 0) {
      facts.add("retry " + step.retry().max());
    }
    step.timeout().ifPresent(timeout -> facts.add("timeout " + timeout));
    if (step.maxVisits().isPresent()) {
      facts.add("at most " + step.maxVisits().getAsInt() + " visits");
    }
    if (step.kind() instanceof StepKind.Parallel parallel) {
      facts.add(
          switch (parallel.join()) {
            case JoinPolicy.All _ -> "all branches";
            case JoinPolicy.First(int count) -> "the first " + count;
          });
    }
    step.gate().ifPresent(gate -> facts.add(gate(gate)));
    step.milestone()
        .ifPresent(
            milestone ->
                facts.add(
                    "milestone '%s', %s, %d checks"
                        .formatted(
                            milestone.title(),
                            milestone.tier().word(),
                            milestone.verify().size())));
    return facts;
  }

  private String gate(StepGate gate) {
    String back =
        gate.to()
            .map(to -> "back to " + to + ", at most " + workflow.maxReroutes() + " times")
            .orElse("or fail");
    return "gate" + gate.when().map(when -> " " + when.text()).orElse("") + " (" + back + ")";
  }

  private static List<String> ways(StepFlow flow, int at) {
    Step step = flow.steps().get(at);
    List<String> ways = new ArrayList<>();
    boolean always = false;
    for (StepTransition arm : step.next()) {
      String on = arm.on() == StepTransition.On.SUCCESS ? "" : " on " + word(arm);
      ways.add(arm.to() + on + arm.when().map(when -> " when " + when.text()).orElse(""));
      always |= arm.when().isEmpty() && arm.on() != StepTransition.On.FAILURE;
    }
    if (!always) {
      boolean last = at + 1 == flow.steps().size();
      String next = last ? StepTransition.END : flow.steps().get(at + 1).id();
      ways.add(ways.isEmpty() ? next : "else " + next);
    }
    return ways;
  }

  private static String word(StepTransition arm) {
    return arm.on().name().toLowerCase(Locale.ROOT);
  }

  private void describe(StepFlow flow, ArrayNode into) {
    for (int i = 0; i < flow.steps().size(); i++) {
      Step step = flow.steps().get(i);
      ObjectNode one = into.addObject().put("id", step.id()).put("kind", step.kind().word());
      step.title().ifPresent(title -> one.put("title", title));
      step.when().ifPresent(when -> one.put("when", when.text()));
      one.put("retries", step.retry().max());
      if (step.maxVisits().isPresent()) {
        one.put("max_visits", step.maxVisits().getAsInt());
      }
      ArrayNode next = one.putArray("next");
      for (StepTransition arm : step.next()) {
        ObjectNode way = next.addObject().put("to", arm.to()).put("on", word(arm));
        arm.when().ifPresent(when -> way.put("when", when.text()));
      }
      step.gate()
          .ifPresent(
              gate -> {
                ObjectNode goal = one.putObject("gate");
                gate.to().ifPresent(to -> goal.put("to", to));
                gate.when().ifPresent(when -> goal.put("when", when.text()));
              });
      step.milestone()
          .ifPresent(
              milestone -> {
                ObjectNode made = one.putObject("milestone");
                made.put("title", milestone.title()).put("tier", milestone.tier().word());
                milestone.verify().forEach(made.putArray("verify")::add);
              });
      if (step.kind() instanceof StepKind.Over over) {
        describe(over.body(), one.putArray("steps"));
      } else if (!step.kind().lists().isEmpty()) {
        ObjectNode branches = one.putObject("branches");
        step.kind().lists().forEach((name, list) -> describe(list, branches.putArray(name)));
      }
    }
  }
}
