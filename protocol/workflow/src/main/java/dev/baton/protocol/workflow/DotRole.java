/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.workflow.DotGraph.Attribute;
import dev.baton.protocol.workflow.DotGraph.Node;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The role of a node, by its shape, its handler, or its name. */
enum DotRole {
  /** Marks the start. */
  START,
  /** Marks the end. */
  END,
  /** Begins a parallel step. */
  FORK,
  /** A step at which the branches of a parallel step meet. */
  JOIN,
  /** An approval. */
  QUESTION,
  /** Does nothing and has several outgoing edges. */
  CHOICE,
  /** Does what its attribute defines. */
  STEP;

  /** The attributes of a node that define what it does. */
  static final List<String> KINDS =
      Stream.concat(StepDecoder.KINDS.stream(), Stream.of("tool_command")).toList();

  private static final Map<String, DotRole> SHAPES =
      Map.of(
          "mdiamond", START,
          "msquare", END,
          "component", FORK,
          "tripleoctagon", JOIN,
          "hexagon", QUESTION,
          "diamond", CHOICE);

  /** The values of {@code handler} and {@code type}. */
  static final Map<String, DotRole> HANDLERS =
      Map.of(
          "start", START,
          "exit", END,
          "parallel", FORK,
          "join", JOIN,
          "parallel.fan_in", JOIN,
          "approval", QUESTION,
          "wait.human", QUESTION,
          "conditional", CHOICE,
          "tool", STEP);

  static DotRole of(Node node) {
    String shape = node.get("shape");
    DotRole drawn = shape == null ? null : SHAPES.get(shape.toLowerCase(Locale.ROOT));
    Attribute handler = handler(node);
    DotRole said = handler == null ? null : HANDLERS.get(handler.text());
    if (drawn == START || drawn == END) {
      return drawn;
    } else if (said != null && said != STEP) {
      return said;
    } else if (drawn != null) {
      return drawn;
    } else if (handler == null && KINDS.stream().noneMatch(node::has)) {
      return node.id().equals("start")
          ? START
          : Set.of("exit", "end").contains(node.id()) ? END : STEP;
    }
    return STEP;
  }

  static @Nullable Attribute handler(Node node) {
    Attribute handler = node.attributes().find("handler");
    return handler == null ? node.attributes().find("type") : handler;
  }
}
