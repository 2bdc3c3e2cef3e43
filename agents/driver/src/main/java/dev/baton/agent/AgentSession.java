/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import java.util.concurrent.CompletableFuture;

/** A running agent. Thread-safe. */
public interface AgentSession {
  /** The session's id; empty until {@link AgentEvent.SessionStarted}. */
  String id();

  /**
   * Requests the agent to stop its turn; {@link #end} follows, within a bound of 10 s by a kill.
   * What the agent records about the interrupted calls is false: never capture its state
   * afterwards.
   */
  void interrupt();

  /** Kills the process at once, and what the starter's {@link AgentProcess#kill} reaches. */
  void kill();

  /**
   * The end: after it no event comes, and the process does not run. Never completes exceptionally.
   */
  CompletableFuture<AgentEnd> end();
}
