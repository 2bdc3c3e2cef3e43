/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.jq.JqProgram;

/**
 * The input of an expression: {@code .input}, {@code .steps} (id to {@code {output}}) and {@code
 * .run}; or one event. The trees are shared, not copied: they must not change while a scope is in
 * use, and results may share parts of them.
 */
public final class ExpressionScope {
  private final ObjectNode root;

  private ExpressionScope(ObjectNode root) {
    this.root = root;
  }

  public static ExpressionScope of(JsonNode input, JsonNode steps, JsonNode run) {
    ObjectNode root = new ObjectNode(JsonNodeFactory.instance);
    root.set("input", input);
    root.set("steps", steps);
    root.set("run", run);
    return new ExpressionScope(root);
  }

  /** The scope of a condition over one event: {@code .type} and {@code .data}. */
  public static ExpressionScope ofEvent(String type, JsonNode data) {
    ObjectNode root = new ObjectNode(JsonNodeFactory.instance);
    root.put("type", type);
    root.set("data", data);
    return new ExpressionScope(root);
  }

  /**
   * Extends the time limit of the evaluation on this thread by the time it waited for a lazily
   * loaded value of its scope. The caller bounds the wait.
   *
   * @param nanos how long the wait took
   */
  public static void waited(long nanos) {
    JqProgram.waited(nanos);
  }

  JsonNode root() {
    return root;
  }
}
