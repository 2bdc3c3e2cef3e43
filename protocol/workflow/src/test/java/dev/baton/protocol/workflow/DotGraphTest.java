/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The nodes, edges and attributes of DOT texts. */
class DotGraphTest {
  private static DotGraph graph(String text) {
    DefinitionProblemCollector problems = new DefinitionProblemCollector();
    DotGraph graph = new DotReader(problems).graph(text);
    assertThat(problems.errors()).isEmpty();
    assertThat(graph).isNotNull();
    return graph;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "digraph{a->b->c}|a b c|a -> b, b -> c",
        "digraph g { graph [x=1, y=2]; node [z=3]; edge [w=4;]; a -> b; }|a b|a -> b",
        "digraph { a -> {b c} -> d }|a b c d|a -> b, a -> c, b -> d, c -> d",
        "digraph { {a b} -> subgraph x {c; d} }|a b c d|a -> c, a -> d, b -> c, b -> d",
        "digraph { {a -> b} -> {c -> d} }|a b c d|a -> b, c -> d, a -> c, a -> d, b -> c, b -> d",
        "digraph { subgraph s {a {b}} subgraph s {} -> c }|a b c|a -> c, b -> c",
        "digraph { a, b -> c, d }|a b c d|a -> c, a -> d, b -> c, b -> d",
        "strict digraph { a -> b; a -> b; b -> a; {a} -> {b} }|a b|a -> b, b -> a",
        "digraph { a -> b; a -> b; a -> b [key=x]; a -> b [key=x] }|a b|a -> b, a -> b, a -> b",
        "strict graph { a -- b; b -- a; a -- a }|a b|a -- b, a",
        "digraph { a:p:n -> b:q; c:w -> a }|a b c|a -> b, c -> a",
        "DiGraph { SUBGRAPH cluster_1 { Node [k=1] a } Edge [l=2] a->b }|a b|a -> b",
        "digraph { -1.5 -> .5 -> 7. -> 42 }|-1.5 .5 7. 42|-1.5 -> .5, .5 -> 7., 7. -> 42",
        "digraph { größe -> 名前 -> é€ }|größe 名前 é€|größe -> 名前, 名前 -> é€",
        "digraph { \"a\" + \"b\" -> \"a\\\"b\" /* -> d */ }|ab a\"b|ab -> a\"b",
        "digraph { a -> a }|a|a -> a",
        "digraph { label=<<b>bold</b> \"x\" ]>; a [label=<a>] a }|a|"
      })
  void shouldHaveTheNodesAndEdgesOfTheText(String text, String nodes, String edges) {
    DotGraph graph = graph(text);

    assertThat(graph.nodes.keySet()).containsExactly(nodes.split(" "));
    assertThat(DotGrammarTest.edges(graph))
        .containsExactlyElementsOf(edges == null ? List.of() : List.of(edges.split(", ")));
  }

  @Test
  void shouldGiveAnObjectTheDefaultsOfWhereAndWhenItIsMade() {
    DotGraph graph =
        graph(
            """
            digraph {
              early
              node [k=1, l=2]
              subgraph s { node [k=3]; inner; { node [l=4] deep } }
              late
              inner [l=9]; early [m=1]
              subgraph s { again; late }
              node [k=""] none; own [k=5]
            }
            """);

    assertThat(shown(graph, "early")).isEqualTo("m=1");
    assertThat(shown(graph, "inner")).isEqualTo("k=3 l=9");
    assertThat(shown(graph, "deep")).isEqualTo("k=3 l=4");
    assertThat(shown(graph, "late")).isEqualTo("k=1 l=2");
    assertThat(shown(graph, "again")).isEqualTo("k=3 l=2");
    assertThat(shown(graph, "none")).isEqualTo("l=2");
    assertThat(shown(graph, "own")).isEqualTo("l=2 k=5");
  }

  private static String shown(DotGraph graph, String node) {
    DotGraph.Node found = graph.nodes.get(node);
    assertThat(found).isNotNull();
    return String.join(
        " ",
        found.attributes().all().stream().map(it -> it.name().text() + "=" + it.text()).toList());
  }

  @Test
  void shouldReadStringsAsGraphvizDoes() {
    DotGraph graph =
        graph(
            "digraph { a [one=\"x\\\r\ny\"; two=\"a\r\nb\" three=\"\\\\\\\"\\n\\\\\" four=\"a\" + \"\\\"\"\r\n + \"c\"] }");

    DotGraph.Node node = graph.nodes.get("a");
    assertThat(node).isNotNull();
    assertThat(node.get("one")).isEqualTo("xy");
    assertThat(node.get("two")).isEqualTo("a\nb");
    assertThat(node.get("three")).isEqualTo("\\\\\"\\n\\\\");
    assertThat(node.get("four")).isEqualTo("a\"c");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "digraph { ;a }|line 1, column 11: not DOT: ';' cannot stand here",
        "digraph { a [x] }|line 1, column 15: not DOT: ']' cannot stand here; allowed: =",
        "digraph { a [x=1,,y=2] }|line 1, column 18: not DOT: ',' cannot stand here",
        "digraph { a -- b }|line 1, column 13: not DOT: '--' cannot stand here; allowed: -> in a digraph",
        "graph { a -> b }|line 1, column 11: not DOT: '->' cannot stand here; allowed: -- in a graph without direction",
        "digraph { node = 1 }|line 1, column 16: not DOT: '=' cannot stand here; allowed: [name=value], or the keyword in quotes",
        "digraph { a -> node }|line 1, column 16: not DOT: the keyword 'node' cannot stand here",
        "digraph { a [t=5m] }|line 1, column 16: not DOT: '5m' is neither a number nor a name; allowed: \"5m\"",
        "digraph { a-b }|line 1, column 12: not DOT: '-' stands in no quotes",
        "digraph { a.b }|line 1, column 12: not DOT: '.' stands in no quotes",
        "digraph { a [x=\"y] }|line 1, column 16: not DOT: the string that begins here has no end",
        "digraph { a [x=<<y>] }|line 1, column 16: not DOT: the HTML string that begins here has no end",
        "digraph { /* a }|line 1, column 11: not DOT: this comment has no end",
        "digraph { a -> b|line 1, column 17: not DOT: the end of the text cannot stand here; allowed: }",
        "digraph { a [x=<a> + <b>] }|line 1, column 20: not DOT: '+' cannot stand here",
        "digraph { <a> -> b }|line 1, column 11: an HTML string names no node",
        "digraph { a -> {} }|line 1, column 16: the edge joins an empty set",
        "digraph { subgraph x -> b }|line 1, column 22: not DOT: '->' cannot stand here; allowed: {",
        "digraph { a $ }|line 1, column 13: not DOT: the character '$' stands in no quotes"
      })
  void shouldSayWhereATextIsNoGraph(String text, String problem) {
    DefinitionProblemCollector problems = new DefinitionProblemCollector();

    assertThat(new DotReader(problems).graph(text)).isNull();
    assertThat(problems.errors())
        .first()
        .extracting(DefinitionProblem::describe)
        .asString()
        .startsWith(problem);
  }

  @Test
  @Timeout(30)
  void shouldBoundItsWork() {
    for (String hostile :
        List.of(
            "digraph g {" + "a".repeat(10) + " -> {" + " subgraph x {a b} ".repeat(20_000) + "}}",
            "digraph g {{" + numbers(20_000) + "} -> {" + numbers(20_000) + "}}",
            "digraph g " + "{".repeat(500_000),
            "digraph g { a [x=" + "<".repeat(500_000),
            "digraph g { a [x=" + "\"a\"+".repeat(100_000),
            "digraph g { s " + forks(30) + "}",
            "digraph g { f [shape=component]; f -> a -> f; a [transform=1]; s [transform=1]; s -> f }")) {
      assertThat(WorkflowParser.parse(hostile, DefinitionFormat.DOT))
          .isInstanceOf(WorkflowParseResult.Invalid.class);
    }
  }

  private static String numbers(int count) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < count; i++) {
      out.append(" n").append(i);
    }
    return out.toString();
  }

  private static String forks(int count) {
    StringBuilder out = new StringBuilder("node [shape=component] ");
    for (int i = 0; i < count; i++) {
      out.append("f%d -> x%d -> f%d; f%d -> y%d -> f%d; ".formatted(i, i, i + 1, i, i, i + 1));
    }
    return out.toString();
  }
}
