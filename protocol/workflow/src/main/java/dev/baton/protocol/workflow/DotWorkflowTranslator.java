/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static dev.baton.protocol.workflow.DotValueTranslator.entry;

import dev.baton.protocol.workflow.DotGraph.Attribute;
import dev.baton.protocol.workflow.DotGraph.Edge;
import dev.baton.protocol.workflow.DotGraph.Node;
import dev.baton.protocol.workflow.DotSyntaxTree.Id;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Translates a graph to the tree of a workflow: nodes become steps, edges become transitions, and
 * the nodes between one of shape {@code component} and one of shape {@code tripleoctagon} become a
 * parallel step. Every node and every edge is either translated or reported.
 */
final class DotWorkflowTranslator {
  /** Attributes of the graph that are keys of the workflow. */
  private static final List<String> OF_WORKFLOW =
      WorkflowDecoder.KEYS.stream().filter(key -> !Set.of("name", "steps").contains(key)).toList();

  /** All attributes that the graph can have. */
  private static final Set<String> KEYS = new TreeSet<>(OF_WORKFLOW);

  static {
    KEYS.addAll(List.of("name", "goal", "retry_target"));
  }

  /** Maximum number of nodes visited in the search for joins, over all parallels of a graph. */
  private static final int MAX_SEARCH = 10_000_000;

  private final DotGraph graph;
  private final DefinitionProblemCollector problems;
  private final DotAttributeChecker attributes;
  private final DotStepTranslator steps;
  private final DotEdgeTranslator ways;
  private final Map<String, String> placed = new HashMap<>();
  private final Map<String, Optional<String>> joins = new HashMap<>();
  private int searched;

  DotWorkflowTranslator(DotGraph graph, DefinitionProblemCollector problems) {
    this.graph = graph;
    this.problems = problems;
    this.attributes = new DotAttributeChecker(problems);
    this.steps = new DotStepTranslator(graph, problems, attributes);
    this.ways = new DotEdgeTranslator(problems, attributes);
  }

  LocatedNode tree() {
    SourcePosition top = graph.mark;
    List<LocatedNode.Entry> entries = new ArrayList<>();
    entries.add(name());
    description().ifPresent(entries::add);
    for (Attribute attribute : graph.attributes.all()) {
      String key = attribute.name().text();
      if (!KEYS.contains(key)) {
        attributes.check(attribute, DotAttributeChecker.Of.GRAPH, null, OF_WORKFLOW);
      } else if (!attributes.isMarkup(attribute, null)
          && OF_WORKFLOW.contains(key)
          && !key.equals("description")) {
        entries.add(entry(key, attribute));
      }
    }
    for (DotGraph.Aside aside : graph.asides) {
      checkAside(aside);
    }
    first().ifPresent(first -> entries.add(entry("steps", top, steps(first))));
    return new LocatedNode.Members(top, entries);
  }

  private LocatedNode.Entry name() {
    Attribute attribute = graph.attributes.find("name");
    Optional<Id> said = attribute == null ? graph.name : Optional.of(attribute.value());
    SourcePosition mark = said.map(Id::mark).orElse(graph.mark);
    String name = said.map(Id::text).orElse("");
    if (name.isEmpty()) {
      problems.error(mark, null, "", "the graph has no name", "digraph NAME { … }");
    }
    return entry("name", mark, name.toLowerCase(Locale.ROOT).replace(' ', '-'));
  }

  private Optional<LocatedNode.Entry> description() {
    Attribute description = graph.attributes.find("description");
    Attribute goal = graph.attributes.find("goal");
    Attribute label = graph.attributes.find("label");
    if (description != null && goal != null) {
      attributes.misplaced(goal, null, "the graph has 'description'", "one of the two");
    }
    Attribute said = description == null ? goal : description;
    if (said != null) {
      return Optional.of(entry("description", said));
    } else if (label == null || label.text().isEmpty() || attributes.isMarkup(label, null)) {
      return Optional.empty();
    }
    String name = graph.name.map(Id::text).orElse("");
    return Optional.of(
        entry(
            "description",
            label.value().mark(),
            DotValueTranslator.label(label.text(), name, name)));
  }

  /**
   * Reports attributes of a subgraph that would be workflow keys elsewhere: they have no effect.
   */
  private void checkAside(DotGraph.Aside aside) {
    Set<String> keys = new TreeSet<>(DotStepTranslator.KEYS);
    keys.addAll(DotEdgeTranslator.KEYS);
    keys.addAll(KEYS);
    keys.removeAll(Set.of("label", "weight"));
    for (Attribute attribute : aside.attributes().all()) {
      if (keys.contains(attribute.name().text())) {
        attributes.misplaced(
            attribute,
            null,
            "this applies to " + aside.what(),
            "an attribute of the graph, or of a node or an edge");
      } else if (!attribute.name().text().equals("weight")) {
        attributes.check(attribute, DotAttributeChecker.Of.GRAPH, null, keys);
      }
    }
  }

  /**
   * Returns the first step: the node after the one that marks the start, or the only node without
   * an incoming edge.
   */
  private Optional<Node> first() {
    Collection<Node> nodes = graph.nodes.values();
    if (nodes.size() > Workflow.MAX_STEPS) {
      problems.error(
          graph.mark, null, "", "there are too many nodes", "at most " + Workflow.MAX_STEPS);
      return Optional.empty();
    }
    List<Node> starts = nodes.stream().filter(node -> is(node, DotRole.START)).toList();
    checkMarkers(starts);
    if (starts.size() == 1 && starts.getFirst().out().size() == 1) {
      return Optional.of(starts.getFirst().out().getFirst().head());
    }
    List<Node> open = open();
    if (starts.isEmpty() && open.size() == 1) {
      return Optional.of(open.getFirst());
    }
    problems.error(
        starts.isEmpty() ? SourcePosition.NONE : starts.getFirst().mark(),
        null,
        "",
        starts.isEmpty()
            ? "it is not clear where the graph begins: "
                + open.size()
                + " nodes have no edge to them"
            : "there must be one start, with one edge from it",
        "one node of shape Mdiamond with one edge from it, or one node without an edge to it");
    return Optional.empty();
  }

  /**
   * Returns the nodes without an incoming edge; of several, those that are not a gate's target
   * either.
   */
  private List<Node> open() {
    Set<Node> entered = new HashSet<>();
    Set<Node> gated = new HashSet<>();
    for (Node node : graph.nodes.values()) {
      node.out().stream().map(Edge::head).filter(head -> head != node).forEach(entered::add);
      Node target = gateTarget(node);
      if (target != null && target != node) {
        gated.add(target);
      }
    }
    List<Node> open =
        graph.nodes.values().stream()
            .filter(node -> !is(node, DotRole.END) && !is(node, DotRole.START))
            .filter(node -> !entered.contains(node))
            .toList();
    return open.size() == 1 ? open : open.stream().filter(node -> !gated.contains(node)).toList();
  }

  private static boolean is(Node node, DotRole role) {
    return DotRole.of(node) == role;
  }

  private void checkMarkers(List<Node> starts) {
    for (Node start : starts) {
      steps.checkMarker(start, "the node marks the start");
      start.out().forEach(edge -> ways.checkUnconditional(edge, "the edge leads from the start"));
    }
    for (Node end : graph.nodes.values()) {
      if (is(end, DotRole.END)) {
        steps.checkMarker(end, "the node marks the end");
      }
    }
    for (Edge edge : graph.edges) {
      if (is(edge.tail(), DotRole.END) || is(edge.head(), DotRole.START)) {
        boolean end = is(edge.tail(), DotRole.END);
        problems.error(
            edge.mark(),
            edge.tail().id(),
            "",
            end
                ? "an edge leads on from the end to '" + edge.head().id() + "'"
                : "an edge leads back to the start, '" + edge.head().id() + "'",
            end ? "edges to the end only" : "an edge to the first step");
      }
    }
  }

  private @Nullable Node gateTarget(Node node) {
    String target = steps.gateTarget(node);
    return target == null ? null : graph.nodes.get(target);
  }

  /** Returns the main list; reports every node that is in no list. */
  private LocatedNode steps(Node first) {
    LocatedNode main = list(graph.mark, first, null, "", 0);
    for (Node node : graph.nodes.values()) {
      if (!placed.containsKey(node.id()) && !is(node, DotRole.START) && !is(node, DotRole.END)) {
        problems.warning(node.mark(), node.id(), "", "nothing leads to this node: it is left out");
      }
    }
    return main;
  }

  /**
   * Returns the nodes reachable from one, as a list of steps; those reachable only by a gate come
   * last.
   *
   * @param join where a branch ends; null on the main line
   * @param of the fork of the branch; empty on the main line
   */
  private LocatedNode list(
      SourcePosition mark, Node first, @Nullable Node join, String of, int depth) {
    List<LocatedNode> list = new ArrayList<>();
    Set<Node> seen = new LinkedHashSet<>();
    ArrayDeque<Node> open = new ArrayDeque<>(List.of(first));
    ArrayDeque<Node> byGates = new ArrayDeque<>();
    while (!open.isEmpty() || !byGates.isEmpty()) {
      boolean byGate = open.isEmpty();
      Node node = byGate ? byGates.removeFirst() : open.removeFirst();
      boolean elsewhere = byGate && placed.containsKey(node.id());
      if (elsewhere || node == join || is(node, DotRole.END) || !seen.add(node)) {
        continue;
      }
      if (!isFree(node, of)) {
        continue;
      }
      Node target = gateTarget(node);
      if (target != null) {
        byGates.add(target);
      }
      if (is(node, DotRole.FORK)) {
        Node after = depth < Workflow.MAX_NESTING ? joinOf(node, 0) : null;
        list.add(fork(node, after, join, depth));
        if (after != null) {
          open.add(after);
        }
      } else {
        list.add(step(node, join));
        node.out().stream().map(Edge::head).forEach(open::add);
      }
    }
    if (list.isEmpty() && problems.isEmpty()) {
      problems.error(mark, null, "", "nothing is between these nodes", "at least one step");
    }
    return new LocatedNode.Items(mark, list);
  }

  /** Assigns a node to a list; reports a problem if another list has it. */
  private boolean isFree(Node node, String of) {
    String other = placed.putIfAbsent(node.id(), of + "\n");
    if (other == null) {
      return true;
    }
    String before = other.strip();
    problems.error(
        node.mark(),
        node.id(),
        "",
        before.equals(of) && !of.isEmpty()
            ? "the node is in two branches of '" + of + "'"
            : "the node is in two lists of steps: "
                + (before.isEmpty() ? "the main one" : "a branch of '" + before + "'")
                + " and "
                + (of.isEmpty() ? "the main one" : "a branch of '" + of + "'"),
        "branches that meet at a node of shape tripleoctagon only");
    return false;
  }

  /**
   * Returns the node at which the branches of a fork meet; null where they do not meet, with a
   * problem if they meet at several nodes.
   */
  private @Nullable Node joinOf(Node fork, int depth) {
    Optional<String> known = joins.get(fork.id());
    if (known != null) {
      return known.map(graph.nodes::get).orElse(null);
    }
    joins.put(fork.id(), Optional.empty()); // For a fork inside itself, which list() reports.
    Set<String> found = new LinkedHashSet<>();
    Set<Node> seen = new HashSet<>();
    ArrayDeque<Node> open = new ArrayDeque<>();
    fork.out().forEach(edge -> open.add(edge.head()));
    while (!open.isEmpty() && searched < MAX_SEARCH) {
      Node node = open.removeFirst();
      if (!seen.add(node)) {
        continue;
      }
      searched++;
      if (is(node, DotRole.JOIN)) {
        found.add(node.id());
      } else if (is(node, DotRole.FORK)) {
        Node inner = depth < Workflow.MAX_NESTING ? joinOf(node, depth + 1) : null;
        if (inner != null) {
          inner.out().forEach(edge -> open.add(edge.head()));
        }
      } else {
        node.out().forEach(edge -> open.add(edge.head()));
      }
    }
    if (found.size() > 1) {
      problems.error(
          fork.mark(),
          fork.id(),
          "",
          "the branches meet at different nodes: " + String.join(", ", found),
          "one node of shape tripleoctagon");
    } else if (searched >= MAX_SEARCH) {
      problems.error(
          fork.mark(), fork.id(), "", "the parallels are too entangled", "fewer nodes and edges");
    }
    Optional<String> join = found.stream().findFirst();
    joins.put(fork.id(), join);
    return join.map(graph.nodes::get).orElse(null);
  }

  private LocatedNode fork(Node node, @Nullable Node join, @Nullable Node around, int depth) {
    SourcePosition mark = node.mark();
    List<LocatedNode.Entry> entries = steps.fork(node);
    if (depth >= Workflow.MAX_NESTING) {
      problems.error(
          mark,
          node.id(),
          "",
          "parallels are nested too deeply",
          "at most " + Workflow.MAX_NESTING);
      return new LocatedNode.Members(mark, entries);
    }
    List<LocatedNode.Entry> branches = new ArrayList<>();
    Set<Node> heads = new HashSet<>();
    for (Edge edge : node.out()) {
      ways.checkUnconditional(edge, "the edge begins a branch");
      Node head = edge.head();
      if (head == join || is(head, DotRole.END) || !heads.add(head)) {
        problems.error(
            edge.mark(),
            node.id(),
            "",
            heads.contains(head)
                ? "two edges lead to '" + head.id() + "', which can be one branch"
                : "nothing is between '" + node.id() + "' and '" + head.id() + "'",
            "an edge for each branch");
        continue;
      }
      LocatedNode steps = list(edge.mark(), head, join, node.id(), depth + 1);
      branches.add(entry(head.id(), edge.mark(), steps));
    }
    if (node.out().isEmpty()) {
      problems.error(mark, node.id(), "", "the parallel has no branches", "edges to their steps");
    }
    List<LocatedNode.Entry> parallel = new ArrayList<>();
    parallel.add(entry("branches", mark, new LocatedNode.Members(mark, branches)));
    parallel.addAll(steps.width(node));
    entries.add(entry("parallel", mark, new LocatedNode.Members(mark, parallel)));
    entries.add(
        entry("next", mark, join == null || join == around ? StepTransition.END : join.id()));
    return new LocatedNode.Members(mark, entries);
  }

  private LocatedNode step(Node node, @Nullable Node join) {
    List<LocatedNode.Entry> entries = steps.step(node);
    LocatedNode arms = ways.arms(node, join == null ? null : join.id());
    entries.add(entry("next", node.mark(), arms));
    return new LocatedNode.Members(node.mark(), entries);
  }
}
