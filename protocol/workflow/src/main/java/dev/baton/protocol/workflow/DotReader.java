/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import org.jspecify.annotations.Nullable;

/** Reads DOT text to the same tree as YAML and JSON. */
final class DotReader {
  private final DefinitionProblemCollector problems;

  DotReader(DefinitionProblemCollector problems) {
    this.problems = problems;
  }

  /** Returns null and reports a problem when the text cannot be read. */
  @Nullable LocatedNode read(String text) {
    DotGraph graph = graph(text);
    if (graph == null) {
      return null;
    }
    if (!graph.directed) {
      problems.error(graph.mark, null, "", "steps have an order, this graph has none", "digraph");
      return null;
    }
    LocatedNode tree = new DotWorkflowTranslator(graph, problems).tree();
    return problems.isEmpty() ? tree : null;
  }

  /**
   * Returns the graph of a text, directed or not; null, with a problem, when the text is not valid.
   */
  @Nullable DotGraph graph(String text) {
    try {
      DotGraph graph = DotGraphBuilder.build(DotParser.parse(text), problems);
      return problems.isEmpty() ? graph : null;
    } catch (DotSyntaxException e) {
      problems.error(e.mark(), null, "", String.valueOf(e.getMessage()), e.allowed());
      return null;
    }
  }
}
