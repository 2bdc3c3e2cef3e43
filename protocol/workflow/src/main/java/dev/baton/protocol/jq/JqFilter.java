/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** A compiled filter. Immutable, thread-safe. */
abstract class JqFilter {
  /** Maximum nesting of simple filters, since they are evaluated on the Java stack. */
  private static final int MAX_SIMPLE_DEPTH = 60;

  /** Whether it has exactly one result or an error for every input. */
  final boolean simple;

  private final int depth;

  JqFilter(boolean simple, JqFilter... parts) {
    int deepest = 0;
    boolean all = simple;
    for (JqFilter part : parts) {
      deepest = Math.max(deepest, part.depth);
      all &= part.simple;
    }
    this.depth = deepest + 1;
    this.simple = all && depth <= MAX_SIMPLE_DEPTH;
  }

  /** Starts its evaluation on the machine's input, bindings and path. */
  abstract void run(JqEvaluator m);

  /** Returns the result of a {@link #simple} filter. */
  JsonNode one(JqEvaluator m, @Nullable JqEnvironment env, JsonNode in) {
    throw new IllegalStateException(getClass().getSimpleName() + " has not exactly one result");
  }
}
