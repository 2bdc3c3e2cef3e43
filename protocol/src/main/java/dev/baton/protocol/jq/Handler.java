/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** What an error goes to: the {@code try} around it. */
abstract class Handler implements Traced {
  final @Nullable Handler outer;
  final int height;
  final @Nullable Env env;
  final @Nullable Cont next;

  Handler(Machine m) {
    this.outer = m.handlers;
    this.height = m.height();
    this.env = m.env;
    this.next = m.next;
  }

  /** Continues after the error; forks and handlers are those of the {@code try} again. */
  abstract void handle(Machine m, JsonNode error);

  @Override
  public void trace(LiveBytes live) {
    live.add(outer);
    live.add(env);
    live.add(next);
  }
}
