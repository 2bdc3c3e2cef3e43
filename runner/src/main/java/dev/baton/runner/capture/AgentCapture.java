/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.protocol.trace.AgentConversation;
import dev.baton.protocol.trace.AgentTurn;
import dev.baton.runner.checkpoint.AgentDescription;
import dev.baton.snapshot.PackStore;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The part of a checkpoint that is an agent's.
 *
 * @param details writes what else belongs to the state, and describes it
 * @param resumable whether a process of the agent can continue with it
 */
public record AgentCapture(
    AgentStateTree state, AgentTurn turn, DetailSource details, boolean resumable) {
  /** Completes the home of the agent before it is captured. */
  @FunctionalInterface
  public interface DetailSource {
    /** Writes to the agent's home and describes the agent. Idempotent; called by any thread. */
    AgentDetails write() throws InterruptedException;
  }

  /** Describes the conversation in the event that ends the step. */
  public @Nullable AgentConversation atEnd() {
    String session = turn.session();
    return session == null ? null : new AgentConversation(turn.agent(), session);
  }

  /** Captures the state. */
  AgentDescription capture(PackStore store) throws IOException, InterruptedException {
    AgentDetails found = details.write();
    return new AgentDescription(
        AgentDescription.state(turn, found.processes(), state.capture(store)),
        found.conversation(),
        found.metrics(),
        found.contributors());
  }
}
