/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.workflow.DotGraph.Attribute;
import dev.baton.protocol.workflow.DotGraph.Attributes;
import dev.baton.protocol.workflow.DotGraph.Edge;
import dev.baton.protocol.workflow.DotGraph.Node;
import dev.baton.protocol.workflow.DotSyntaxTree.Assignment;
import dev.baton.protocol.workflow.DotSyntaxTree.Chain;
import dev.baton.protocol.workflow.DotSyntaxTree.Defaults;
import dev.baton.protocol.workflow.DotSyntaxTree.Id;
import dev.baton.protocol.workflow.DotSyntaxTree.Nodes;
import dev.baton.protocol.workflow.DotSyntaxTree.Operand;
import dev.baton.protocol.workflow.DotSyntaxTree.Statement;
import dev.baton.protocol.workflow.DotSyntaxTree.Subgraph;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Builds the graph of a DOT text as Graphviz does, statement by statement: a new object takes the
 * defaults in force where it is created, an edge between sets connects each two of their nodes, and
 * a subgraph that is named again is continued.
 */
final class DotGraphBuilder {
  /** Maximum number of edges. */
  static final int MAX_EDGES = 100_000;

  private final DefinitionProblemCollector problems;
  private final boolean strict;
  private final DotGraph graph;
  private final Map<String, Integer> order = new HashMap<>();
  private final Map<String, Edge> merged = new HashMap<>();

  /** A graph or subgraph: its nodes, and the defaults of objects created in it. */
  private static final class Scope {
    final @Nullable Scope parent;
    final Attributes attributes;
    final Map<String, Assignment> nodeDefaults = new LinkedHashMap<>();
    final Map<String, Assignment> edgeDefaults = new LinkedHashMap<>();
    final Map<String, Scope> named = new HashMap<>();
    final Set<Node> nodes = new LinkedHashSet<>();

    Scope(@Nullable Scope parent, Attributes attributes) {
      this.parent = parent;
      this.attributes = attributes;
    }
  }

  private DotGraphBuilder(DotSyntaxTree syntax, DefinitionProblemCollector problems) {
    this.problems = problems;
    this.strict = syntax.strict();
    this.graph = new DotGraph(syntax.directed(), syntax.mark(), syntax.name());
  }

  /** Builds the graph of a text; the result must not be used if problems were reported. */
  static DotGraph build(DotSyntaxTree syntax, DefinitionProblemCollector problems) {
    DotGraphBuilder builder = new DotGraphBuilder(syntax, problems);
    Scope root = new Scope(null, builder.graph.attributes);
    builder.all(syntax.body(), root);
    return builder.graph;
  }

  private void all(List<Statement> body, Scope scope) {
    for (Statement statement : body) {
      switch (statement) {
        case Defaults defaults -> defaults(defaults, scope);
        case Chain chain -> chain(chain, scope);
      }
    }
  }

  private static void defaults(Defaults defaults, Scope scope) {
    for (Assignment assignment : defaults.assignments()) {
      String name = assignment.name().text();
      switch (defaults.target()) {
        case GRAPH -> put(scope.attributes, assignment);
        case NODE -> scope.nodeDefaults.put(name, assignment);
        case EDGE -> {
          // The name of a single edge; Graphviz takes it only from an edge's own list.
          if (!name.equals("key")) {
            scope.edgeDefaults.put(name, assignment);
          }
        }
      }
    }
  }

  private static void put(Attributes attributes, Assignment assignment) {
    attributes.put(new Attribute(assignment.name(), assignment.value(), false));
  }

  /**
   * Returns the defaults of a new object: those of the enclosing scopes, inner ones override outer
   * ones.
   */
  private static Attributes inherited(Scope scope, boolean ofNodes) {
    List<Scope> inwards = new ArrayList<>();
    for (Scope at = scope; at != null; at = at.parent) {
      inwards.addFirst(at);
    }
    Attributes attributes = new Attributes();
    for (Scope at : inwards) {
      for (Assignment of : (ofNodes ? at.nodeDefaults : at.edgeDefaults).values()) {
        attributes.put(new Attribute(of.name(), of.value(), true));
      }
    }
    return attributes;
  }

  private void chain(Chain chain, Scope scope) {
    List<Collection<Node>> ends = new ArrayList<>();
    for (Operand operand : chain.operands()) {
      ends.add(
          switch (operand) {
            case Nodes nodes -> nodes.nodes().stream().map(node -> node(node, scope)).toList();
            case Subgraph subgraph -> subgraph(subgraph, scope).nodes;
          });
    }
    if (ends.size() > 1) {
      for (int i = 1; i < ends.size(); i++) {
        product(i, ends.get(i - 1), ends.get(i), chain, scope);
      }
    } else if (chain.operands().getFirst() instanceof Nodes) {
      for (Node node : ends.getFirst()) {
        chain.assignments().forEach(assignment -> put(node.attributes(), assignment));
      }
    } else if (!chain.assignments().isEmpty()) {
      Attributes lost = new Attributes();
      chain.assignments().forEach(assignment -> put(lost, assignment));
      graph.asides.add(new DotGraph.Aside("a set of nodes, but not to its nodes", lost));
    }
  }

  private Node node(DotSyntaxTree.Node mention, Scope scope) {
    Id id = mention.id();
    if (id.isHtml()) {
      problems.error(id.mark(), null, "", "an HTML string names no node", Step.ID.pattern());
    }
    if (!mention.port().isEmpty()) {
      String port = String.join(":", mention.port().stream().map(Id::text).toList());
      problems.warning(
          mention.port().getFirst().mark(),
          null,
          "",
          "the port '" + port + "' of '" + id.text() + "' has no effect: edges join whole steps");
    }
    Node node = graph.nodes.get(id.text());
    if (node == null) {
      node = new Node(id.text(), id.mark(), inherited(scope, true), new ArrayList<>());
      graph.nodes.put(id.text(), node);
      order.put(id.text(), order.size());
    }
    for (Scope at = scope; at != null; at = at.parent) {
      at.nodes.add(node);
    }
    return node;
  }

  /** Opens a subgraph, with the content of earlier statements of the same name. */
  private Scope subgraph(Subgraph subgraph, Scope around) {
    String name = subgraph.name().map(Id::text).orElse("");
    Scope scope = name.isEmpty() ? null : around.named.get(name);
    if (scope == null) {
      Attributes attributes = new Attributes();
      scope = new Scope(around, attributes);
      String what = name.isEmpty() ? "a set of nodes" : "the subgraph '" + name + "'";
      graph.asides.add(new DotGraph.Aside(what, attributes));
      if (!name.isEmpty()) {
        around.named.put(name, scope);
      }
      if (name.toLowerCase(Locale.ROOT).startsWith("cluster")) {
        problems.warning(
            subgraph.mark(),
            null,
            "",
            "the cluster '" + name + "' has no effect: it frames nodes of a drawing");
      }
    }
    all(subgraph.body(), scope);
    return scope;
  }

  /** Sorts nodes by where they first appear in the text. */
  private List<Node> inOrder(Collection<Node> nodes, Operand operand) {
    List<Node> sorted = new ArrayList<>(nodes);
    if (operand instanceof Subgraph) {
      sorted.sort((a, b) -> Integer.compare(place(a), place(b)));
    }
    return sorted;
  }

  private int place(Node node) {
    return order.getOrDefault(node.id(), 0);
  }

  private void product(
      int at, Collection<Node> from, Collection<Node> to, Chain chain, Scope scope) {
    Operand operand = chain.operands().get(at);
    if (from.isEmpty() || to.isEmpty()) {
      problems.error(
          operand.mark(), null, "", "the edge joins an empty set", "a set with nodes, {a b}");
      return;
    }
    if ((long) from.size() * to.size() + graph.edges.size() > MAX_EDGES) {
      problems.error(operand.mark(), null, "", "there are too many edges", "at most " + MAX_EDGES);
      return;
    }
    List<Node> heads = inOrder(to, operand);
    for (Node tail : inOrder(from, chain.operands().get(at - 1))) {
      for (int i = 0; i < heads.size(); i++) {
        SourcePosition mark =
            operand instanceof Nodes nodes ? nodes.nodes().get(i).id().mark() : operand.mark();
        edge(tail, heads.get(i), mark, chain, scope);
      }
    }
  }

  private void edge(Node tail, Node head, SourcePosition mark, Chain chain, Scope scope) {
    String key =
        chain.assignments().stream()
            .filter(assignment -> assignment.name().text().equals("key"))
            .map(assignment -> assignment.value().text())
            .reduce("", (first, last) -> last);
    boolean once = strict || !key.isEmpty();
    String same = same(tail, head, strict ? "" : key);
    Edge edge = once ? merged.get(same) : null;
    if (edge == null) {
      edge = new Edge(tail, head, mark, inherited(scope, false));
      graph.edges.add(edge);
      tail.out().add(edge);
      if (once) {
        merged.put(same, edge);
      }
    }
    for (Assignment assignment : chain.assignments()) {
      put(edge.attributes(), assignment);
    }
  }

  /**
   * Returns a key that is the same for edges that are the same edge; in undirected graphs the order
   * of the ends does not matter.
   */
  private String same(Node tail, Node head, String key) {
    boolean swap = !graph.directed && place(tail) > place(head);
    return place(swap ? head : tail) + " " + place(swap ? tail : head) + " " + key;
  }
}
