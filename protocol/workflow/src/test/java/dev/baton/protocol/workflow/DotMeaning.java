/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.workflow.DotSyntaxTree.Chain;
import dev.baton.protocol.workflow.DotSyntaxTree.Defaults;
import dev.baton.protocol.workflow.DotSyntaxTree.Id;
import dev.baton.protocol.workflow.DotSyntaxTree.Nodes;
import dev.baton.protocol.workflow.DotSyntaxTree.Statement;
import dev.baton.protocol.workflow.DotSyntaxTree.Subgraph;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.TreeSet;

/**
 * Evaluates a graph's statements in the simplest way, independently of the reader, as a reference.
 */
final class DotMeaning {
  final SequencedSet<String> nodes = new LinkedHashSet<>();
  final List<String> edges = new ArrayList<>();
  private final DotSyntaxTree graph;
  private final Map<String, SequencedSet<String>> named = new HashMap<>();

  DotMeaning(DotSyntaxTree graph) {
    this.graph = graph;
    walk(graph.body(), "", List.of(nodes));
    if (graph.strict()) {
      SequencedSet<String> once = new LinkedHashSet<>(edges);
      edges.clear();
      edges.addAll(once);
    }
  }

  private void walk(List<Statement> body, String path, List<SequencedSet<String>> around) {
    for (Statement statement : body) {
      if (statement instanceof Chain chain) {
        List<List<String>> ends = new ArrayList<>();
        for (DotSyntaxTree.Operand operand : chain.operands()) {
          ends.add(
              switch (operand) {
                case Nodes many -> many.nodes().stream().map(node -> node.id().text()).toList();
                case Subgraph sub -> List.of("\n" + sub(sub, path, around));
              });
          if (operand instanceof Nodes many) {
            many.nodes().forEach(node -> around.forEach(set -> set.add(node.id().text())));
          }
        }
        for (int i = 1; i < ends.size(); i++) {
          for (String tail : of(ends.get(i - 1))) {
            of(ends.get(i)).forEach(head -> edge(tail, head));
          }
        }
      }
    }
  }

  private String sub(Subgraph sub, String path, List<SequencedSet<String>> around) {
    String own = path + "/" + sub.name().map(Id::text).orElse("#" + named.size());
    SequencedSet<String> inside = named.computeIfAbsent(own, key -> new LinkedHashSet<>());
    List<SequencedSet<String>> all = new ArrayList<>(around);
    all.add(inside);
    walk(sub.body(), own, all);
    return own;
  }

  private List<String> of(List<String> end) {
    if (!end.getFirst().startsWith("\n")) {
      return end;
    }
    SequencedSet<String> inside =
        named.getOrDefault(end.getFirst().substring(1), new LinkedHashSet<>());
    return nodes.stream().filter(inside::contains).toList();
  }

  private void edge(String tail, String head) {
    edges.add(
        graph.directed()
            ? tail + " -> " + head
            : String.join(" -- ", new TreeSet<>(List.of(tail, head))));
  }

  /** Formats statements without marks and without details of the spelling. */
  static String show(DotSyntaxTree graph) {
    return (graph.strict() ? "strict " : "")
        + (graph.directed() ? "digraph " : "graph ")
        + graph.name().map(DotMeaning::show).orElse("")
        + show(graph.body());
  }

  private static String show(List<Statement> body) {
    StringBuilder out = new StringBuilder("{");
    for (Statement statement : body) {
      switch (statement) {
        case Defaults defaults ->
            out.append(defaults.target()).append(list(defaults.assignments()));
        case Chain chain -> {
          for (DotSyntaxTree.Operand operand : chain.operands()) {
            out.append("->");
            switch (operand) {
              case Nodes many ->
                  many.nodes()
                      .forEach(
                          node -> {
                            out.append(',').append(show(node.id()));
                            node.port().forEach(port -> out.append(':').append(show(port)));
                          });
              case Subgraph sub ->
                  out.append(sub.name().map(DotMeaning::show).orElse("")).append(show(sub.body()));
            }
          }
          out.append(list(chain.assignments()));
        }
      }
      out.append("; ");
    }
    return out.append('}').toString();
  }

  private static String list(List<DotSyntaxTree.Assignment> assignments) {
    StringBuilder out = new StringBuilder("[");
    assignments.forEach(it -> out.append(show(it.name())).append('=').append(show(it.value())));
    return out.append(']').toString();
  }

  private static String show(Id id) {
    return id.isHtml() ? "<" + id.text() + ">" : "'" + id.text() + "'";
  }
}
