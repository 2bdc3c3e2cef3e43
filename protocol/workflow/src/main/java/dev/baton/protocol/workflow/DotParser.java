/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.workflow.DotLexer.Kind;
import dev.baton.protocol.workflow.DotLexer.Token;
import dev.baton.protocol.workflow.DotSyntaxTree.Assignment;
import dev.baton.protocol.workflow.DotSyntaxTree.Chain;
import dev.baton.protocol.workflow.DotSyntaxTree.Defaults;
import dev.baton.protocol.workflow.DotSyntaxTree.Form;
import dev.baton.protocol.workflow.DotSyntaxTree.Id;
import dev.baton.protocol.workflow.DotSyntaxTree.Node;
import dev.baton.protocol.workflow.DotSyntaxTree.Nodes;
import dev.baton.protocol.workflow.DotSyntaxTree.Operand;
import dev.baton.protocol.workflow.DotSyntaxTree.Statement;
import dev.baton.protocol.workflow.DotSyntaxTree.Subgraph;
import dev.baton.protocol.workflow.DotSyntaxTree.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Parses one DOT graph by recursive descent through the grammar of Graphviz, with one token of
 * lookahead. Subgraphs are nested at most {@link DefinitionReader#MAX_DEPTH} deep.
 */
final class DotParser {
  private static final String STATEMENT =
      "a node, an edge, a subgraph, an attribute name=value, or graph, node, edge [name=value]";

  private final DotLexer lexer;
  private Token token;

  private DotParser(String text) {
    this.lexer = new DotLexer(text);
    this.token = lexer.next();
  }

  /**
   * Parses a text that contains one graph and nothing else.
   *
   * @throws DotSyntaxException where the text does not match the grammar
   */
  static DotSyntaxTree parse(String text) {
    DotParser parser = new DotParser(text);
    DotSyntaxTree graph = parser.graph();
    if (parser.token.kind() != Kind.END) {
      throw new DotSyntaxException(
          parser.token.mark(), "there is text after the graph", "one digraph");
    }
    return graph;
  }

  private DotSyntaxTree graph() {
    SourcePosition mark = token.mark();
    boolean strict = token.isKeyword("strict");
    if (strict) {
      advance();
    }
    boolean directed = token.isKeyword("digraph");
    if (!directed && !token.isKeyword("graph")) {
      throw unexpected("digraph NAME { … }");
    }
    advance();
    Optional<Id> name = token.isId() ? Optional.of(id("a name")) : Optional.empty();
    return new DotSyntaxTree(strict, directed, mark, name, body(directed, 1));
  }

  private List<Statement> body(boolean directed, int depth) {
    if (depth > DefinitionReader.MAX_DEPTH) {
      throw new DotSyntaxException(
          token.mark(), "the graph is nested too deeply", "at most " + DefinitionReader.MAX_DEPTH);
    }
    expect("{");
    List<Statement> statements = new ArrayList<>();
    while (!token.isSign("}")) {
      statements.add(statement(directed, depth));
      if (token.isSign(";")) {
        advance();
      }
    }
    advance();
    return statements;
  }

  private Statement statement(boolean directed, int depth) {
    if (token.isKeyword("graph") || token.isKeyword("node") || token.isKeyword("edge")) {
      Target target =
          switch (token.text()) {
            case "graph" -> Target.GRAPH;
            case "node" -> Target.NODE;
            default -> Target.EDGE;
          };
      advance();
      if (!token.isSign("[")) {
        throw unexpected("[name=value], or the keyword in quotes where it is a name");
      }
      return new Defaults(target, attributes());
    }
    if (token.isId()) {
      Id first = id(STATEMENT);
      if (token.isSign("=")) {
        advance();
        return new Defaults(Target.GRAPH, List.of(new Assignment(first, id("a value"))));
      }
      return chain(nodes(first), directed, depth);
    }
    if (token.isKeyword("subgraph") || token.isSign("{")) {
      return chain(subgraph(directed, depth), directed, depth);
    }
    throw unexpected(token.kind() == Kind.END ? "}" : STATEMENT);
  }

  private Chain chain(Operand first, boolean directed, int depth) {
    List<Operand> operands = new ArrayList<>(List.of(first));
    while (token.isSign("->") || token.isSign("--")) {
      String arrow = directed ? "->" : "--";
      if (!token.isSign(arrow)) {
        throw unexpected(arrow + " in a " + (directed ? "digraph" : "graph without direction"));
      }
      advance();
      if (token.isKeyword("subgraph") || token.isSign("{")) {
        operands.add(subgraph(directed, depth));
      } else {
        operands.add(nodes(id("a node, a set {…} or a subgraph")));
      }
    }
    return new Chain(operands, attributes());
  }

  private Nodes nodes(Id first) {
    List<Node> nodes = new ArrayList<>(List.of(node(first)));
    while (token.isSign(",")) {
      advance();
      nodes.add(node(id("a node")));
    }
    return new Nodes(nodes);
  }

  private Node node(Id id) {
    List<Id> port = new ArrayList<>();
    while (token.isSign(":") && port.size() < 2) {
      advance();
      port.add(id("a port"));
    }
    return new Node(id, port);
  }

  private Subgraph subgraph(boolean directed, int depth) {
    SourcePosition mark = token.mark();
    Optional<Id> name = Optional.empty();
    if (token.isKeyword("subgraph")) {
      advance();
      name = token.isId() ? Optional.of(id("a name")) : Optional.empty();
    }
    return new Subgraph(name, mark, body(directed, depth + 1));
  }

  /** Parses any number of attribute lists. */
  private List<Assignment> attributes() {
    List<Assignment> assignments = new ArrayList<>();
    while (token.isSign("[")) {
      advance();
      while (!token.isSign("]")) {
        Id name = id("name=value, or ]");
        expect("=");
        assignments.add(new Assignment(name, id("a value")));
        if (token.isSign(",") || token.isSign(";")) {
          advance();
        }
      }
      advance();
    }
    return assignments;
  }

  private Id id(String allowed) {
    Token first = token;
    if (!first.isId()) {
      throw unexpected(
          allowed + (first.kind() == Kind.KEYWORD ? ", in quotes where it is a keyword" : ""));
    }
    advance();
    Form form =
        switch (first.kind()) {
          case BARE -> Form.BARE;
          case HTML -> Form.HTML;
          case QUOTED -> Form.QUOTED;
          case ESCAPED, KEYWORD, SIGN, END -> Form.COMPOSED;
        };
    if (!token.isSign("+")) {
      return new Id(first.text(), first.mark(), form);
    }
    StringBuilder text = new StringBuilder(first.text());
    while (token.isSign("+")) {
      if (form != Form.QUOTED && form != Form.COMPOSED) {
        throw unexpected("strings in quotes on both sides of a '+'");
      }
      advance();
      if (token.kind() != Kind.QUOTED && token.kind() != Kind.ESCAPED) {
        throw unexpected("a string in quotes after '+'");
      }
      text.append(token.text());
      advance();
    }
    return new Id(text.toString(), first.mark(), Form.COMPOSED);
  }

  private void expect(String sign) {
    if (!token.isSign(sign)) {
      throw unexpected(sign);
    }
    advance();
  }

  private void advance() {
    token = lexer.next();
  }

  private DotSyntaxException unexpected(String allowed) {
    return new DotSyntaxException(
        token.mark(), "not DOT: " + token.shown() + " cannot stand here", allowed);
  }
}
