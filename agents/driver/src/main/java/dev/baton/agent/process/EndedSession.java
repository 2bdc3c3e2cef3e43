/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentSession;
import java.util.concurrent.CompletableFuture;

/**
 * A session that ended before a process was started.
 *
 * @param id that was requested
 */
public record EndedSession(String id, AgentEnd ended) implements AgentSession {
  /** A session that cannot be resumed, with the reason. */
  public static EndedSession refused(String id, String reason) {
    return new EndedSession(id, new AgentEnd(AgentEnd.Kind.SESSION_REFUSED, "", -1, reason));
  }

  @Override
  public void interrupt() {
    // It has ended.
  }

  @Override
  public void kill() {
    // It has ended.
  }

  @Override
  public CompletableFuture<AgentEnd> end() {
    return CompletableFuture.completedFuture(ended);
  }
}
