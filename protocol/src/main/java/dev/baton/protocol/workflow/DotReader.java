/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.io.StringReader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jgrapht.nio.ImportException;
import org.jgrapht.nio.dot.DOTEventDrivenImporter;
import org.jspecify.annotations.Nullable;

/** DOT text to the same tree that YAML and JSON are read to. */
final class DotReader {
  private static final Pattern PLACE = Pattern.compile("line (\\d+):(\\d+) (.*)", Pattern.DOTALL);

  private final Problems problems;

  DotReader(Problems problems) {
    this.problems = problems;
  }

  /** Null, with a problem, when there is no tree. */
  @Nullable Located read(String text) {
    DotText scanned = new DotText(text);
    if (scanned.depth() > TextReader.MAX_DEPTH) {
      return wrong(Mark.NONE, "the graph is nested too deeply", "at most " + TextReader.MAX_DEPTH);
    }
    DotGraph graph = parse(scanned);
    if (graph == null) {
      return null;
    }
    if (!scanned.isDirected()) {
      return wrong(new Mark(1, 1), "steps have an order, this graph has none", "digraph");
    }
    if (scanned.afterEnd() != Mark.NONE) {
      return wrong(scanned.afterEnd(), "something follows the graph", "one digraph");
    }
    Located tree = new DotWorkflow(graph, problems).tree();
    return problems.isEmpty() ? tree : null;
  }

  private @Nullable DotGraph parse(DotText text) {
    DotGraph graph = new DotGraph();
    DotGraph.Edge[] newest = new DotGraph.Edge[1];
    DOTEventDrivenImporter importer = new DOTEventDrivenImporter();
    importer.addGraphAttributeConsumer(
        (key, value) -> graph.attributes.put(key, value == null ? "" : value.getValue()));
    importer.addVertexConsumer(id -> graph.node(id, text.mark(id)));
    importer.addVertexAttributeConsumer(
        (of, value) ->
            graph
                .node(of.getFirst())
                .attributes()
                .put(of.getSecond(), value == null ? "" : value.getValue()));
    importer.addEdgeConsumer(
        ends -> newest[0] = graph.edge(graph.node(ends.getFirst()), ends.getSecond()));
    importer.addEdgeAttributeConsumer(
        (of, value) -> {
          if (newest[0] != null && value != null) {
            newest[0].attributes().put(of.getSecond(), value.getValue());
          }
        });
    try {
      importer.importInput(new StringReader(text.plain()));
      return graph;
    } catch (ImportException e) {
      Matcher place = PLACE.matcher(String.valueOf(e.getMessage()));
      boolean known = place.find();
      Mark mark =
          known
              ? new Mark(Integer.parseInt(place.group(1)), Integer.parseInt(place.group(2)) + 1)
              : Mark.NONE;
      return wrong(mark, "not DOT: " + (known ? place.group(3) : e.getMessage()), null);
    }
  }

  private <T> @Nullable T wrong(Mark mark, String message, @Nullable String allowed) {
    problems.error(mark, null, "", message, allowed);
    return null;
  }
}
