/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.List;
import java.util.Optional;

/**
 * The <a href="https://graphviz.org/doc/info/lang.html">syntax</a> tree of a DOT text, before its
 * meaning is evaluated.
 *
 * @param strict whether edges with the same ends are one edge
 * @param directed whether it is a {@code digraph}
 * @param mark of its first word
 * @param name of the graph
 */
record DotSyntaxTree(
    boolean strict,
    boolean directed,
    SourcePosition mark,
    Optional<Id> name,
    List<Statement> body) {

  /** How an identifier is written. */
  enum Form {
    /** A name or a number. */
    BARE,
    /** Quoted, with all characters unchanged in the text. */
    QUOTED,
    /** Quoted, with escapes, continuation lines or concatenation. */
    COMPOSED,
    /** Between {@code <} and {@code >}. */
    HTML
  }

  /**
   * An identifier or a value.
   *
   * @param text without quotes; of its escapes only <code>\"</code> and the continuation line are
   *     resolved, as in Graphviz
   */
  record Id(String text, SourcePosition mark, Form form) {
    boolean isHtml() {
      return form == Form.HTML;
    }
  }

  /** {@code name=value}. */
  record Assignment(Id name, Id value) {}

  /** The objects that an attribute statement applies to. */
  enum Target {
    GRAPH,
    NODE,
    EDGE
  }

  /** A statement. */
  sealed interface Statement {}

  /** {@code node [a=b]}, or {@code a=b}, which applies to the enclosing graph or subgraph. */
  record Defaults(Target target, List<Assignment> assignments) implements Statement {}

  /**
   * One operand: a node, nodes or a subgraph; several: the edges between them.
   *
   * @param assignments of its attribute lists, in order
   */
  record Chain(List<Operand> operands, List<Assignment> assignments) implements Statement {}

  /** An end of an edge. */
  sealed interface Operand {
    SourcePosition mark();
  }

  /** {@code a}, or {@code a, b}. */
  record Nodes(List<Node> nodes) implements Operand {
    @Override
    public SourcePosition mark() {
      return nodes.getFirst().id().mark();
    }
  }

  /**
   * A mention of a node.
   *
   * @param port the words of its port and compass point; none, one or two
   */
  record Node(Id id, List<Id> port) {}

  /** A subgraph with its body; one without a name is a set. */
  record Subgraph(Optional<Id> name, SourcePosition mark, List<Statement> body)
      implements Operand {}
}
