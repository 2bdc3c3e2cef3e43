/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static dev.baton.protocol.workflow.DotValueTranslator.entry;
import static dev.baton.protocol.workflow.DotValueTranslator.text;

import dev.baton.protocol.workflow.DotGraph.Attribute;
import dev.baton.protocol.workflow.DotGraph.Edge;
import dev.baton.protocol.workflow.DotGraph.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Translates a node to its step, without its edges. Attribute names are those of steps; Attractor's
 * names for the same ({@code goal_gate}, {@code retry_target}, {@code max_retries}, {@code
 * tool_command}) are also accepted.
 */
record DotStepTranslator(
    DotGraph graph, DefinitionProblemCollector problems, DotAttributeChecker attributes) {
  /**
   * Attributes of a node that are keys of the step; keys defined by the graph's structure are
   * excluded.
   */
  private static final List<String> OF_STEP =
      StepDecoder.KEYS.stream().filter(key -> !Set.of("id", "next").contains(key)).toList();

  private static final Set<String> OTHER_NAMES =
      Set.of(
          "handler",
          "type",
          "goal_gate",
          "retry_target",
          "max_retries",
          "tool_command",
          "join",
          "max",
          "prompt");

  /** All attributes that a node can have. */
  static final Set<String> KEYS = new TreeSet<>();

  static {
    KEYS.addAll(OF_STEP);
    KEYS.addAll(OTHER_NAMES);
  }

  /** Reports the step attributes of a node that only marks the start or an end. */
  void checkMarker(Node node, String why) {
    for (Attribute attribute : node.attributes().all()) {
      String name = attribute.name().text();
      if (name.equals("handler") || name.equals("type")) {
        checkHandler(node, attribute);
      } else if (KEYS.contains(name)) {
        attributes.misplaced(attribute, node.id(), why, "a node of its own for it");
      } else {
        attributes.check(attribute, DotAttributeChecker.Of.NODE, node.id(), KEYS);
      }
    }
  }

  /** Returns the entries of a step that is not a parallel. */
  List<LocatedNode.Entry> step(Node node) {
    Optional<Attribute> kind = kind(node);
    DotRole role = DotRole.of(node);
    String word =
        kind.map(it -> word(it.name().text()))
            .orElse(role == DotRole.QUESTION ? "approval" : "transform");
    List<LocatedNode.Entry> entries = common(node, word);
    for (String key : List.of("join", "max")) {
      misplaced(node, key, "the node is not a parallel", "shape=component");
    }
    if (role != DotRole.QUESTION || kind.isPresent()) {
      misplaced(node, "prompt", "the node is not an approval", "shape=hexagon, or approval");
    }
    does(node, kind, role).ifPresent(entries::add);
    return entries;
  }

  /** Returns the entries of a parallel step, without its branches. */
  List<LocatedNode.Entry> fork(Node node) {
    List<LocatedNode.Entry> entries = common(node, "parallel");
    List<String> others = new ArrayList<>(DotRole.KINDS);
    others.add("prompt");
    for (String key : others) {
      misplaced(node, key, "the node begins a parallel", "a node of its own in a branch");
    }
    return entries;
  }

  /** Returns {@code join} and {@code max} of a parallel step. */
  List<LocatedNode.Entry> width(Node node) {
    return Stream.of("join", "max")
        .flatMap(key -> Stream.ofNullable(node.attributes().find(key)))
        .filter(attribute -> !attributes.isMarkup(attribute, node.id()))
        .map(attribute -> entry(attribute.name().text(), attribute))
        .toList();
  }

  /** Returns the target step of the node's gate, where it has one. */
  @Nullable String gateTarget(Node node) {
    Attribute gate = node.attributes().find("gate");
    if (gate == null) {
      Attribute target = "true".equalsIgnoreCase(node.get("goal_gate")) ? target(node) : null;
      return target == null ? null : target.text();
    }
    return switch (DotValueTranslator.value("gate", gate)) {
      case LocatedNode.Scalar scalar -> scalar.value().asText();
      case LocatedNode.Members members -> {
        LocatedNode.Entry to = members.find("to");
        yield to == null ? null : to.value().toJson().asText();
      }
      case LocatedNode.Items _ -> null;
    };
  }

  private @Nullable Attribute target(Node node) {
    Attribute own = node.attributes().find("retry_target");
    return own == null ? graph.attributes.find("retry_target") : own;
  }

  private static String word(String kind) {
    return kind.equals("tool_command") ? "shell" : kind;
  }

  private void misplaced(Node node, String key, String why, String allowed) {
    Attribute attribute = node.attributes().find(key);
    if (attribute != null) {
      attributes.misplaced(attribute, node.id(), why, allowed);
    }
  }

  /**
   * Returns the attribute that defines what the node does; a default applies only to nodes whose
   * shape has no meaning.
   */
  private Optional<Attribute> kind(Node node) {
    List<Attribute> all =
        DotRole.KINDS.stream().flatMap(k -> Stream.ofNullable(node.attributes().find(k))).toList();
    List<Attribute> own = all.stream().filter(attribute -> !attribute.inherited()).toList();
    List<Attribute> found =
        !own.isEmpty() ? own : DotRole.of(node) == DotRole.STEP ? all : List.of();
    if (found.size() > 1) {
      String names = String.join(", ", found.stream().map(it -> it.name().text()).toList());
      problems.error(
          found.get(1).name().mark(),
          node.id(),
          "",
          "the node does several things: " + names,
          "one of " + String.join(", ", StepDecoder.KINDS));
    }
    boolean asks = DotRole.of(node) == DotRole.QUESTION;
    if (asks && !found.isEmpty() && !found.getFirst().name().text().equals("approval")) {
      attributes.misplaced(
          found.getFirst(), node.id(), "the node has the shape of an approval", "another shape");
    }
    return found.stream().findFirst();
  }

  /** Returns the entries that all kinds of steps have. */
  private List<LocatedNode.Entry> common(Node node, String word) {
    SourcePosition mark = node.mark();
    List<LocatedNode.Entry> entries = new ArrayList<>();
    entries.add(entry("id", mark, node.id()));
    for (Attribute attribute : node.attributes().all()) {
      String name = attribute.name().text();
      if (name.equals("label")) {
        label(node, attribute).ifPresent(entries::add);
      } else if (name.equals("handler") || name.equals("type")) {
        checkHandler(node, attribute);
      } else if (DotRole.KINDS.contains(name) || OTHER_NAMES.contains(name)) {
        continue; // Added with the kind.
      } else if (!OF_STEP.contains(name)) {
        attributes.check(attribute, DotAttributeChecker.Of.NODE, node.id(), KEYS);
      } else if (applies(attribute, word)
          && !isOutdone(node, attribute)
          && !attributes.isMarkup(attribute, node.id())) {
        entries.add(entry(name, attribute));
      }
    }
    retries(node, word).ifPresent(entries::add);
    gate(node).ifPresent(entries::add);
    return entries;
  }

  /**
   * A default applies only to the kinds of steps that can have it; the node's own attribute is
   * always kept.
   */
  private static boolean applies(Attribute attribute, String word) {
    String name = attribute.name().text();
    return !attribute.inherited() || StepDecoder.allows(name, word);
  }

  /** Whether the node's own {@code max_retries} overrides a default {@code retry}. */
  private static boolean isOutdone(Node node, Attribute attribute) {
    Attribute other = node.attributes().find("max_retries");
    return attribute.name().text().equals("retry")
        && attribute.inherited()
        && other != null
        && !other.inherited();
  }

  private Optional<LocatedNode.Entry> label(Node node, Attribute label) {
    String title = DotValueTranslator.label(label.text(), node.id(), name()).replace('\n', ' ');
    if (attributes.isMarkup(label, node.id()) || node.has("title") || title.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(entry("title", label.value().mark(), title));
  }

  private String name() {
    return graph.name.map(DotSyntaxTree.Id::text).orElse("");
  }

  private Optional<LocatedNode.Entry> retries(Node node, String word) {
    Attribute max = node.attributes().find("max_retries");
    Attribute retry = node.attributes().find("retry");
    if (max == null || (max.inherited() && !StepDecoder.allows("retry", word))) {
      return Optional.empty();
    }
    if (retry != null && !(retry.inherited() && !max.inherited())) {
      attributes.misplaced(max, node.id(), "the node has 'retry'", "one of the two");
      return Optional.empty();
    }
    return Optional.of(entry("retry", max));
  }

  private Optional<LocatedNode.Entry> gate(Node node) {
    Attribute goal = node.attributes().find("goal_gate");
    if (goal == null || !goal.text().equalsIgnoreCase("true")) {
      misplaced(node, "retry_target", "the node is not a gate", "goal_gate=true");
      if (goal != null && !goal.text().equalsIgnoreCase("false")) {
        problems.error(
            goal.value().mark(),
            node.id(),
            "",
            "'" + goal.text() + "' is not known for goal_gate",
            "true, false");
      }
      return Optional.empty();
    }
    if (node.has("gate")) {
      attributes.misplaced(goal, node.id(), "the node has 'gate'", "one of the two");
      return Optional.empty();
    }
    SourcePosition mark = goal.name().mark();
    Attribute target = target(node);
    List<LocatedNode.Entry> gate = target == null ? List.of() : List.of(entry("to", target));
    return Optional.of(entry("gate", mark, new LocatedNode.Members(mark, gate)));
  }

  private void checkHandler(Node node, Attribute handler) {
    if (!DotRole.HANDLERS.containsKey(handler.text())) {
      problems.error(
          handler.value().mark(),
          node.id(),
          "",
          "unknown handler '"
              + handler.text()
              + "'"
              + SpellingSuggester.didYouMean(handler.text(), DotRole.HANDLERS.keySet()),
          String.join(", ", new TreeSet<>(DotRole.HANDLERS.keySet())));
    }
  }

  private Optional<LocatedNode.Entry> does(Node node, Optional<Attribute> kind, DotRole role) {
    SourcePosition mark = node.mark();
    List<Edge> choices = DotEdgeTranslator.choices(node);
    if (kind.isPresent()) {
      Attribute attribute = kind.get();
      String word = word(attribute.name().text());
      String text = attribute.text();
      if (attributes.isMarkup(attribute, node.id())) {
        return Optional.empty();
      }
      SourcePosition at = attribute.value().mark();
      if (word.equals("http") && !text.stripLeading().startsWith("{")) {
        return Optional.of(
            entry(word, at, new LocatedNode.Members(at, List.of(entry("url", attribute)))));
      }
      return Optional.of(
          word.equals("approval") && !choices.isEmpty()
              ? entry(word, at, question(at, text, choices))
              : entry(word, attribute));
    }
    if (role == DotRole.QUESTION) {
      String prompt = prompt(node);
      return Optional.of(
          entry(
              "approval",
              mark,
              choices.isEmpty() ? text(mark, prompt) : question(mark, prompt, choices)));
    }
    if (role == DotRole.JOIN || role == DotRole.CHOICE) {
      return Optional.of(entry("transform", mark, "null"));
    }
    problems.error(
        mark,
        node.id(),
        "",
        "the node does nothing",
        "an attribute " + String.join(", ", StepDecoder.KINDS));
    return Optional.empty();
  }

  private String prompt(Node node) {
    Attribute prompt = node.attributes().find("prompt");
    if (prompt != null && !attributes.isMarkup(prompt, node.id())) {
      return prompt.text();
    }
    Attribute label = node.attributes().find("label");
    return label == null || label.value().isHtml()
        ? node.id()
        : DotValueTranslator.label(label.text(), node.id(), name());
  }

  private static LocatedNode question(SourcePosition mark, String prompt, List<Edge> choices) {
    List<String> answers = choices.stream().map(DotEdgeTranslator::answer).distinct().toList();
    LocatedNode choice =
        new LocatedNode.Members(
            mark, List.of(entry("enum", mark, DotValueTranslator.texts(mark, answers))));
    LocatedNode properties = new LocatedNode.Members(mark, List.of(entry("choice", mark, choice)));
    LocatedNode schema =
        new LocatedNode.Members(
            mark,
            List.of(
                entry("type", mark, "object"),
                entry("required", mark, DotValueTranslator.texts(mark, List.of("choice"))),
                entry("properties", mark, properties)));
    return new LocatedNode.Members(
        mark, List.of(entry("prompt", mark, prompt), entry("schema", mark, schema)));
  }
}
