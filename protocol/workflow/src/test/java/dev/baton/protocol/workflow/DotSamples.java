/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

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
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Generates random graphs, and random spellings of a graph: all choices of the grammar are random.
 */
final class DotSamples {
  private static final List<String> NAMES =
      List.of(
          "a",
          "b",
          "c",
          "d",
          "e1",
          "_x",
          "Zoë",
          "größe",
          "名前",
          "-1.5",
          ".5",
          "42",
          "7.",
          "a b",
          "say \"hi\"",
          "back\\\\slash",
          "tab\\n",
          "node",
          "Edge",
          "strict",
          "a-b",
          "x:y",
          "5m",
          "é€",
          "<a>",
          "{}",
          "#no",
          "//no",
          "/*no*/",
          "semi;colon");
  private static final List<String> KEYS = List.of("k1", "k2", "k3", "Key4", "odd key", "ключ");

  private final Random random;

  DotSamples(Random random) {
    this.random = random;
  }

  DotSyntaxTree graph() {
    boolean directed = random.nextInt(4) > 0;
    Optional<Id> name = random.nextBoolean() ? Optional.of(id(NAMES)) : Optional.empty();
    return new DotSyntaxTree(random.nextInt(4) == 0, directed, SourcePosition.NONE, name, body(0));
  }

  private List<Statement> body(int depth) {
    return some(depth == 0 ? 10 : 4, () -> statement(depth));
  }

  private Statement statement(int depth) {
    return switch (random.nextInt(8)) {
      case 0 -> new Defaults(pick(List.of(Target.values())), assignments());
      case 1 -> new Defaults(Target.GRAPH, List.of(assignment()));
      case 2, 3 -> new Chain(List.of(nodes()), assignments());
      default -> {
        List<Operand> operands = new ArrayList<>(List.of(operand(depth)));
        operands.addAll(some(3, () -> operand(depth)));
        yield new Chain(operands, assignments());
      }
    };
  }

  private Operand operand(int depth) {
    return depth < 3 && random.nextInt(3) == 0 ? subgraph(depth) : nodes();
  }

  private Subgraph subgraph(int depth) {
    Optional<Id> name =
        switch (random.nextInt(3)) {
          case 0 -> Optional.empty();
          case 1 ->
              Optional.of(new Id("cluster_" + random.nextInt(3), SourcePosition.NONE, Form.QUOTED));
          default -> Optional.of(id(List.of("s1", "s2", "s 3")));
        };
    List<Statement> body = new ArrayList<>(body(depth + 1));
    if (random.nextInt(40) > 0) {
      body.add(new Chain(List.of(nodes()), List.of()));
    }
    return new Subgraph(name, SourcePosition.NONE, body);
  }

  private Nodes nodes() {
    List<Node> nodes = new ArrayList<>(List.of(node()));
    if (random.nextInt(5) == 0) {
      nodes.addAll(some(2, this::node));
    }
    return new Nodes(nodes);
  }

  private Node node() {
    List<Id> port =
        random.nextInt(12) > 0
            ? List.of()
            : random.nextBoolean()
                ? List.of(id(List.of("p", "port 1")))
                : List.of(id(List.of("p", "q")), id(List.of("n", "se", "c")));
    return new Node(id(NAMES), port);
  }

  private List<Assignment> assignments() {
    return random.nextInt(3) == 0 ? some(4, this::assignment) : List.of();
  }

  private Assignment assignment() {
    Id value =
        random.nextInt(12) == 0
            ? new Id("b <i>x</i> \"y\" ] ;", SourcePosition.NONE, Form.HTML)
            : id(NAMES);
    return new Assignment(id(KEYS), value);
  }

  private Id id(List<String> from) {
    return new Id(pick(from), SourcePosition.NONE, Form.QUOTED);
  }

  private <T> T pick(List<T> from) {
    return from.get(random.nextInt(from.size()));
  }

  private <T> List<T> some(int most, Supplier<T> one) {
    List<T> all = new ArrayList<>();
    int count = random.nextInt(most + 1);
    for (int i = 0; i < count; i++) {
      all.add(one.get());
    }
    return all;
  }

  /** Returns one of the texts that the grammar allows for a graph. */
  String spell(DotSyntaxTree graph) {
    String text =
        (graph.strict() ? cased("strict") + gap() : "")
            + cased(graph.directed() ? "digraph" : "graph")
            + gap()
            + graph.name().map(name -> spell(name) + blank()).orElse("")
            + spell(graph.body(), graph.directed())
            + blank();
    return random.nextInt(3) == 0 ? text.replace("\n", "\r\n") : text;
  }

  private String spell(List<Statement> body, boolean directed) {
    StringBuilder out = new StringBuilder("{").append(blank());
    for (Statement statement : body) {
      out.append(
          switch (statement) {
            case Defaults defaults -> spell(defaults);
            case Chain chain -> spell(chain, directed);
          });
      out.append(random.nextBoolean() ? blank() + ";" + blank() : gap());
    }
    return out.append("}").toString();
  }

  private String spell(Defaults defaults) {
    if (defaults.target() == Target.GRAPH
        && defaults.assignments().size() == 1
        && random.nextBoolean()) {
      return spell(defaults.assignments().getFirst());
    }
    String lists = spellLists(defaults.assignments());
    return cased(defaults.target().name().toLowerCase(Locale.ROOT))
        + blank()
        + (lists.isEmpty() ? "[" + blank() + "]" : lists);
  }

  private String spell(Chain chain, boolean directed) {
    String arrow = blank() + (directed ? "->" : "--") + blank();
    List<String> operands =
        chain.operands().stream()
            .map(
                operand ->
                    switch (operand) {
                      case Nodes nodes ->
                          String.join(
                              blank() + "," + blank(),
                              nodes.nodes().stream().map(this::spell).toList());
                      case Subgraph subgraph -> spell(subgraph, directed);
                    })
            .toList();
    return String.join(arrow, operands) + blank() + spellLists(chain.assignments());
  }

  private String spell(Subgraph subgraph, boolean directed) {
    String head =
        subgraph.name().isPresent() || random.nextBoolean() ? cased("subgraph") + gap() : "";
    return head
        + subgraph.name().map(name -> spell(name) + blank()).orElse("")
        + spell(subgraph.body(), directed);
  }

  private String spell(Node node) {
    StringBuilder out = new StringBuilder(spell(node.id()));
    node.port()
        .forEach(port -> out.append(blank()).append(':').append(blank()).append(spell(port)));
    return out.toString();
  }

  private String spellLists(List<Assignment> assignments) {
    StringBuilder out = new StringBuilder();
    boolean open = false;
    for (Assignment assignment : assignments) {
      if (open && random.nextInt(4) == 0) {
        out.append(blank()).append(']');
        open = false;
      }
      out.append(open ? pick(List.of(",", ";", " ", "\n")) : "[").append(blank());
      out.append(spell(assignment));
      open = true;
    }
    if (open) {
      out.append(pick(List.of("", ",", ";"))).append(blank()).append(']');
    }
    return out + (random.nextInt(10) == 0 && !out.isEmpty() ? "[]" : "");
  }

  private String spell(Assignment assignment) {
    return spell(assignment.name()) + blank() + "=" + blank() + spell(assignment.value());
  }

  private String spell(Id id) {
    String text = id.text();
    if (id.isHtml()) {
      return "<" + text + ">";
    }
    boolean bare =
        text.matches(
                "[A-Za-z_\\x{80}-\\x{10ffff}][A-Za-z_0-9\\x{80}-\\x{10ffff}]*|-?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)")
            && !List.of("node", "edge", "strict").contains(text.toLowerCase(Locale.ROOT));
    if (bare && random.nextBoolean()) {
      return text;
    }
    int cut = random.nextInt(3) == 0 ? random.nextInt(text.length() + 1) : 0;
    if (cut > 0 && text.charAt(cut - 1) == '\\') {
      cut = 0; // A backslash at the end of a part would escape the quote.
    }
    return cut == 0
        ? quoted(text)
        : quoted(text.substring(0, cut)) + blank() + "+" + blank() + quoted(text.substring(cut));
  }

  private String quoted(String text) {
    String escaped = text.replace("\"", "\\\"");
    int at = random.nextInt(4) == 0 && !escaped.contains("\\") ? escaped.length() / 2 : -1;
    String body = at < 0 ? escaped : escaped.substring(0, at) + "\\\n" + escaped.substring(at);
    return "\"" + body + "\"";
  }

  private String cased(String keyword) {
    return switch (random.nextInt(3)) {
      case 0 -> keyword;
      case 1 -> keyword.toUpperCase(Locale.ROOT);
      default -> keyword.substring(0, 1).toUpperCase(Locale.ROOT) + keyword.substring(1);
    };
  }

  private String blank() {
    return random.nextInt(3) > 0 ? "" : gap();
  }

  private String gap() {
    return pick(
        List.of(" ", "\n", "\t", "  ", " // c } \"\n", "/* { \n * */", "\n# 1 \"x\n", " # \" <\n"));
  }
}
