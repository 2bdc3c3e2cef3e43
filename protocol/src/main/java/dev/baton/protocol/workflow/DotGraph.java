/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A graph as DOT says it: nodes in the order of the text, and edges by their tail. */
final class DotGraph {
  /**
   * @param tail the edge's beginning
   */
  record Edge(String tail, String head, Map<String, String> attributes) {
    @Nullable String get(String key) {
      return attributes.get(key);
    }
  }

  /** A node. Its attributes are those of the text, defaults included. */
  record Node(String id, Mark mark, Map<String, String> attributes, List<Edge> out) {
    @Nullable String get(String key) {
      return attributes.get(key);
    }

    boolean has(String key) {
      return attributes.containsKey(key);
    }

    boolean isShape(String shape) {
      return shape.equalsIgnoreCase(attributes.get("shape"));
    }
  }

  final Map<String, String> attributes = new LinkedHashMap<>();
  final Map<String, Node> nodes = new LinkedHashMap<>();
  private final Set<String> entered = new HashSet<>();

  Node node(String id, Mark mark) {
    return nodes.computeIfAbsent(
        id, key -> new Node(key, mark, new LinkedHashMap<>(), new ArrayList<>()));
  }

  Node node(String id) {
    Node node = nodes.get(id);
    if (node == null) {
      throw new IllegalArgumentException("no node " + id);
    }
    return node;
  }

  Edge edge(Node tail, String head) {
    Edge edge = new Edge(tail.id(), head, new LinkedHashMap<>());
    tail.out().add(edge);
    if (!tail.id().equals(head)) {
      entered.add(head);
    }
    return edge;
  }

  /** Whether another node leads to this one. */
  boolean isEntered(Node node) {
    return entered.contains(node.id());
  }
}
