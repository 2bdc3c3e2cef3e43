/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import org.jspecify.annotations.Nullable;

/** A binding, linked to the enclosing ones: a value, a {@link Closure} or a {@link Label}. */
final class JqEnvironment implements JqTraceable {
  private final @Nullable JqEnvironment around;
  private Object bound;

  JqEnvironment(@Nullable JqEnvironment around, Object bound) {
    this.around = around;
    this.bound = bound;
  }

  /** Binds a function that can call itself. */
  static JqEnvironment recursive(@Nullable JqEnvironment around, JqFilter body) {
    JqEnvironment env = new JqEnvironment(around, body);
    env.bound = new Closure(body, env);
    return env;
  }

  static Object get(@Nullable JqEnvironment env, int distance) {
    JqEnvironment at = env;
    for (int i = 0; i < distance && at != null; i++) {
      at = at.around;
    }
    if (at == null) {
      throw new IllegalStateException("no binding at " + distance);
    }
    return at.bound;
  }

  @Override
  public void trace(JqMemoryEstimator live) {
    live.addAll(around, bound);
  }

  /** A filter with the bindings it can access. */
  record Closure(JqFilter body, @Nullable JqEnvironment env) implements JqTraceable {
    @Override
    public void trace(JqMemoryEstimator live) {
      live.add(env);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  /** The target of a {@code break}. */
  record Label(int height) {}
}
