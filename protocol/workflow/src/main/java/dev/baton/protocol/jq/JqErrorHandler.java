/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** The handler of an error: the enclosing {@code try}. */
abstract class JqErrorHandler implements JqTraceable {
  final @Nullable JqErrorHandler outer;
  final int height;
  final @Nullable JqEnvironment env;
  final @Nullable JqContinuation next;

  JqErrorHandler(JqEvaluator m) {
    this.outer = m.handlers;
    this.height = m.height();
    this.env = m.env;
    this.next = m.next;
  }

  /**
   * Continues after the error; choice points and handlers are reset to those of the {@code try}.
   */
  abstract void handle(JqEvaluator m, JsonNode error);

  @Override
  public void trace(JqMemoryEstimator live) {
    live.add(outer);
    live.add(env);
    live.add(next);
  }
}
