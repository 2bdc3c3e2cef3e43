/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static dev.baton.protocol.workflow.DotValueTranslator.entry;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.baton.protocol.workflow.DotGraph.Attribute;
import dev.baton.protocol.workflow.DotGraph.Edge;
import dev.baton.protocol.workflow.DotGraph.Node;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Translates the edges of a node to the transitions of its step. */
record DotEdgeTranslator(DefinitionProblemCollector problems, DotAttributeChecker attributes) {
  static final List<String> KEYS = List.of("when", "on", "condition", "weight", "label");

  private static final Pattern CONDITION =
      Pattern.compile("\\s*outcome\\s*=\\s*(success|ok|fail|failure|any)\\s*");

  /** Reports attributes of an edge that have no effect. */
  void check(Edge edge) {
    for (Attribute attribute : edge.attributes().all()) {
      if (!KEYS.contains(attribute.name().text())) {
        attributes.check(attribute, DotAttributeChecker.Of.EDGE, edge.tail().id(), KEYS);
      }
    }
  }

  /** Reports conditions on an edge that is always taken. */
  void checkUnconditional(Edge edge, String why) {
    check(edge);
    for (String key : List.of("when", "on", "condition")) {
      Attribute attribute = edge.attributes().find(key);
      if (attribute != null) {
        attributes.misplaced(attribute, edge.tail().id(), why, "a condition at a later edge");
      }
    }
  }

  /** The edges that a person chooses from: those of an approval that have only labels. */
  static List<Edge> choices(Node node) {
    if (!node.has("approval") && DotRole.of(node) != DotRole.QUESTION) {
      return List.of();
    }
    List<Edge> plain = node.out().stream().filter(edge -> !isConditional(edge)).toList();
    return plain.size() > 1 && plain.stream().allMatch(edge -> edge.get("label") != null)
        ? plain
        : List.of();
  }

  /** The answer that selects an edge. */
  static String answer(Edge edge) {
    String label = edge.get("label");
    return DotValueTranslator.label(label == null ? "" : label, "", "").replace('\n', ' ');
  }

  /** Returns the transitions: those with a condition first, heavier ones before lighter ones. */
  LocatedNode arms(Node node, @Nullable String join) {
    List<Edge> choices = choices(node);
    checkChoices(choices);
    List<Edge> edges = new ArrayList<>(node.out());
    edges.forEach(this::check);
    boolean outcomes = edges.stream().anyMatch(DotEdgeTranslator::hasOutcome);
    edges.sort(
        Comparator.comparing((Edge edge) -> !isConditional(edge) && !choices.contains(edge))
            .thenComparing(edge -> -weight(edge)));
    List<LocatedNode> arms = new ArrayList<>();
    List<Edge> always = new ArrayList<>();
    Set<String> settled = new HashSet<>();
    for (Edge edge : edges) {
      // Next to edges with an outcome, an edge without one is for all other outcomes.
      String on = hasOutcome(edge) ? on(edge) : outcomes ? "any" : null;
      String outcome = on == null ? "success" : on;
      boolean isChoice = choices.contains(edge);
      if (settled.contains(outcome) || settled.contains("any")) {
        problems.error(
            edge.mark(),
            node.id(),
            "",
            "the edge to '"
                + edge.head().id()
                + "' is never taken: the one to '"
                + always.getLast().head().id()
                + "' is, always",
            "when or on at the edges, or shape=component for a parallel");
        break;
      }
      if (edge.get("when") == null && !isChoice) {
        settled.add(outcome);
        always.add(edge);
      }
      arms.add(arm(edge, on, isChoice, join));
    }
    if (!settled.contains("success") && !settled.contains("any")) {
      arms.add(
          new LocatedNode.Members(
              node.mark(), List.of(entry("to", node.mark(), StepTransition.END))));
    }
    return new LocatedNode.Items(node.mark(), arms);
  }

  private static LocatedNode arm(
      Edge edge, @Nullable String on, boolean isChoice, @Nullable String join) {
    Node head = edge.head();
    List<LocatedNode.Entry> arm = new ArrayList<>();
    String to =
        head.id().equals(join) || DotRole.of(head) == DotRole.END ? StepTransition.END : head.id();
    arm.add(entry("to", edge.mark(), to));
    if (on != null) {
      arm.add(entry("on", edge.mark(), on));
    }
    Attribute when = edge.attributes().find("when");
    if (isChoice) {
      String answer = JsonNodeFactory.instance.textNode(answer(edge)).toString();
      String chosen = ".steps[\"" + edge.tail().id() + "\"].output.choice == " + answer;
      arm.add(entry("when", edge.mark(), chosen));
    } else if (when != null) {
      arm.add(entry("when", when));
    }
    return new LocatedNode.Members(edge.mark(), arm);
  }

  private void checkChoices(List<Edge> choices) {
    Set<String> answers = new HashSet<>();
    for (Edge edge : choices) {
      Attribute label = edge.attributes().find("label");
      if (label == null) {
        continue;
      }
      boolean markup = label.value().isHtml();
      if (markup || answer(edge).isEmpty() || !answers.add(answer(edge))) {
        problems.error(
            label.value().mark(),
            edge.tail().id(),
            "",
            "'" + answer(edge) + "' does not lead to '" + edge.head().id() + "' only",
            markup ? "\"text in quotes\"" : "a label of its own for each edge");
      }
    }
  }

  private static boolean isConditional(Edge edge) {
    return edge.get("when") != null || hasOutcome(edge);
  }

  private static boolean hasOutcome(Edge edge) {
    return edge.get("on") != null || edge.get("condition") != null;
  }

  private int weight(Edge edge) {
    Attribute weight = edge.attributes().find("weight");
    if (weight == null) {
      return 0;
    }
    try {
      return Integer.parseInt(weight.text().strip());
    } catch (NumberFormatException e) {
      problems.error(
          weight.value().mark(),
          edge.tail().id(),
          "",
          "the weight '"
              + weight.text()
              + "' of the edge to '"
              + edge.head().id()
              + "' is not a number",
          "a whole number");
      return 0;
    }
  }

  private @Nullable String on(Edge edge) {
    Attribute on = edge.attributes().find("on");
    Attribute condition = edge.attributes().find("condition");
    if (condition == null || (on != null && condition.inherited())) {
      return on == null ? null : on.text();
    }
    if (on != null && !on.inherited()) {
      attributes.misplaced(
          condition, edge.tail().id(), "the edge has 'on'", "one of on and condition");
    }
    Matcher outcome = CONDITION.matcher(condition.text());
    if (!outcome.matches()) {
      problems.error(
          condition.value().mark(),
          edge.tail().id(),
          "",
          "the condition '"
              + condition.text()
              + "' of the edge to '"
              + edge.head().id()
              + "' is not known",
          "outcome=success, outcome=failure, or when=\"jq\"");
      return null;
    }
    return switch (outcome.group(1)) {
      case "fail", "failure" -> "failure";
      case "any" -> "any";
      default -> "success";
    };
  }
}
