/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.scripted;

import java.util.List;

/** Decides the answer to each request. Called by several threads. */
@FunctionalInterface
public interface ModelScript {
  ScriptedReply reply(ScriptedRequest request);

  /** Gives the answers in the order of the requests; the last one is repeated. */
  static ModelScript sequence(ScriptedReply... replies) {
    List<ScriptedReply> all = List.of(replies);
    return request -> all.get(Math.min(request.number(), all.size()) - 1);
  }

  /** Gives the n-th answer of a conversation, also to an agent that was resumed. */
  static ModelScript byTurn(List<ScriptedReply> replies) {
    List<ScriptedReply> all = List.copyOf(replies);
    return request -> all.get(Math.min(request.turn(), all.size() - 1));
  }
}
