/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.workflow.DotSyntaxTree.Id;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A DOT graph: nodes in the order of the text, and edges by their tail. */
final class DotGraph {
  /**
   * The value of an attribute.
   *
   * @param inherited whether it comes from an attribute statement around the object, not from its
   *     own list
   */
  record Attribute(Id name, Id value, boolean inherited) {
    String text() {
      return value.text();
    }
  }

  /** Attributes of an object, by name. An empty value removes an inherited one. */
  static final class Attributes {
    private final Map<String, Attribute> values = new LinkedHashMap<>();

    void put(Attribute attribute) {
      String name = attribute.name().text();
      Attribute before = values.get(name);
      if (attribute.text().isEmpty() && (attribute.inherited() || before != null)) {
        values.remove(name);
      } else {
        values.put(name, attribute);
      }
    }

    List<Attribute> all() {
      return List.copyOf(values.values());
    }

    @Nullable Attribute find(String name) {
      return values.get(name);
    }

    @Nullable String get(String name) {
      Attribute found = values.get(name);
      return found == null ? null : found.text();
    }

    boolean has(String name) {
      return values.containsKey(name);
    }
  }

  /**
   * An edge.
   *
   * @param mark of its head in the edge statement
   */
  record Edge(Node tail, Node head, SourcePosition mark, Attributes attributes) {
    @Nullable String get(String key) {
      return attributes.get(key);
    }

    /** Identity comparison: nodes and edges reference one another. */
    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  /**
   * A node.
   *
   * @param mark where it first appears
   * @param out its outgoing edges, in the order of the text
   */
  record Node(String id, SourcePosition mark, Attributes attributes, List<Edge> out) {
    @Nullable String get(String key) {
      return attributes.get(key);
    }

    boolean has(String key) {
      return attributes.has(key);
    }

    /** Identity comparison: nodes and edges reference one another. */
    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  /**
   * Attributes that apply neither to the graph itself nor to a node or an edge.
   *
   * @param what the object that has them, as named in messages
   */
  record Aside(String what, Attributes attributes) {}

  final boolean directed;
  final SourcePosition mark;
  final Optional<Id> name;
  final Attributes attributes = new Attributes();
  final Map<String, Node> nodes = new LinkedHashMap<>();
  final List<Edge> edges = new ArrayList<>();
  final List<Aside> asides = new ArrayList<>();

  DotGraph(boolean directed, SourcePosition mark, Optional<Id> name) {
    this.directed = directed;
    this.mark = mark;
    this.name = name;
  }
}
