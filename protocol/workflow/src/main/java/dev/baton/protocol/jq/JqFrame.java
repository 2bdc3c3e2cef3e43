/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** The bindings, input, path and continuation of a filter, to start other filters with them. */
record JqFrame(
    @Nullable JqEnvironment env, JsonNode in, @Nullable JqPath path, @Nullable JqContinuation next)
    implements JqTraceable {
  /** Returns those of the filter that the machine runs. */
  static JqFrame of(JqEvaluator m) {
    return new JqFrame(m.env, m.in, m.path, m.next);
  }

  /** Continues with a filter. */
  void start(JqEvaluator m, JqFilter filter) {
    m.goTo(filter, env, in, path, next);
  }

  /** Returns a continuation whose action keeps this alive. */
  JqContinuation then(Runnable action) {
    return JqContinuation.of(next, action, env, in, path);
  }

  /** Returns a choice point whose action keeps this alive. */
  JqChoicePoint otherwise(Runnable action) {
    return JqChoicePoint.of(action, env, in, path, next);
  }

  @Override
  public void trace(JqMemoryEstimator live) {
    live.addAll(next, env, in, path);
  }
}
