/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import org.jspecify.annotations.Nullable;

/** A binding and those around it: a value, a {@link Closure} or a {@link Label}. */
final class Env implements Traced {
  private final @Nullable Env around;
  private Object bound;

  Env(@Nullable Env around, Object bound) {
    this.around = around;
    this.bound = bound;
  }

  /** A function that sees itself. */
  static Env recursive(@Nullable Env around, Node body) {
    Env env = new Env(around, body);
    env.bound = new Closure(body, env);
    return env;
  }

  static Object get(@Nullable Env env, int distance) {
    Env at = env;
    for (int i = 0; i < distance && at != null; i++) {
      at = at.around;
    }
    if (at == null) {
      throw new IllegalStateException("no binding at " + distance);
    }
    return at.bound;
  }

  @Override
  public void trace(LiveBytes live) {
    live.add(around);
    live.add(bound);
  }

  /** A filter together with the bindings it sees. */
  record Closure(Node body, @Nullable Env env) implements Traced {
    @Override
    public void trace(LiveBytes live) {
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

  /** Where {@code break} goes back to. */
  record Label(int height) {}
}
