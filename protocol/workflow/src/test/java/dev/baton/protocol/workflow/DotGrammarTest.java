/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.workflow.DotGraph.Edge;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Reads generated graphs in generated spellings; {@code -Dbaton.seed=N} repeats those of a seed.
 */
class DotGrammarTest {
  private static final int GRAPHS = 3_000;

  static List<String> edges(DotGraph graph) {
    return graph.edges.stream().map(edge -> shown(graph, edge)).toList();
  }

  private static String shown(DotGraph graph, Edge edge) {
    String tail = edge.tail().id();
    String head = edge.head().id();
    if (graph.directed) {
      return tail + " -> " + head;
    }
    return tail.compareTo(head) == 0
        ? tail
        : tail.compareTo(head) < 0 ? tail + " -- " + head : head + " -- " + tail;
  }

  /** Whether an edge joins a set without nodes, which is refused. */
  static boolean isRefused(DefinitionProblemCollector problems) {
    return problems.errors().stream().allMatch(it -> it.message().contains("an empty set"))
        && !problems.isEmpty();
  }

  @Test
  @Timeout(120)
  void shouldReadEverySpellingOfAGraph() {
    long seed = Long.getLong("baton.seed", new Random().nextLong());
    System.out.println("DotGrammarTest: -Dbaton.seed=" + seed);
    DotSamples samples = new DotSamples(new Random(seed));
    List<String> refused = new ArrayList<>();
    for (int i = 0; i < GRAPHS; i++) {
      DotSyntaxTree written = samples.graph();
      String text = samples.spell(written);

      DotSyntaxTree read = DotParser.parse(text);

      assertThat(DotMeaning.show(read)).describedAs(text).isEqualTo(DotMeaning.show(written));
      DefinitionProblemCollector problems = new DefinitionProblemCollector();
      DotGraph graph = new DotReader(problems).graph(text);
      if (graph == null) {
        assertThat(isRefused(problems)).describedAs(text + problems.errors()).isTrue();
        refused.add(text);
        continue;
      }
      DotMeaning meaning = new DotMeaning(written);
      assertThat(graph.nodes.keySet()).describedAs(text).containsExactlyElementsOf(meaning.nodes);
      assertThat(edges(graph)).describedAs(text).containsExactlyElementsOf(meaning.edges);
    }
    assertThat(refused).hasSizeLessThan(GRAPHS / 2);
  }
}
