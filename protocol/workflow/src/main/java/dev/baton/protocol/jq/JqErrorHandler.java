/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The handler of an error: the enclosing {@code try}. */
final class JqErrorHandler implements JqTraceable {
  final @Nullable JqErrorHandler outer;
  final int height;
  final @Nullable JqEnvironment env;
  final @Nullable JqContinuation next;
  private final Consumer<JsonNode> action;
  private final @Nullable Object[] held;

  /**
   * @param action continues after the error; choice points, handlers, bindings and continuation are
   *     reset to those of the {@code try}
   * @param held everything that the action keeps alive
   */
  JqErrorHandler(JqEvaluator m, Consumer<JsonNode> action, @Nullable Object... held) {
    this.outer = m.handlers;
    this.height = m.height();
    this.env = m.env;
    this.next = m.next;
    this.action = action;
    this.held = held;
  }

  void handle(JsonNode error) {
    action.accept(error);
  }

  @Override
  public void trace(JqMemoryEstimator live) {
    live.addAll(outer, env, next);
    live.addAll(held);
  }
}
