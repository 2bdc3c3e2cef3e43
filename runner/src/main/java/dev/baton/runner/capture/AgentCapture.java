/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.trace.AgentConversation;
import dev.baton.protocol.trace.AgentTurn;
import dev.baton.runner.checkpoint.AgentDescription;
import dev.baton.snapshot.PackStore;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of a checkpoint that is an agent's.
 *
 * @param metrics without the number of changed files
 * @param contributors parts of the state that can fail on their own, by name
 * @param processes that run in the background
 * @param resumable whether a process of the agent can continue with it
 */
public record AgentCapture(
    AgentStateTree state,
    AgentTurn turn,
    Manifest.Conversation conversation,
    Manifest.Metrics metrics,
    Map<String, Manifest.Contribution> contributors,
    List<Manifest.BackgroundProcess> processes,
    boolean resumable) {
  public AgentCapture {
    contributors = Map.copyOf(contributors);
    processes = List.copyOf(processes);
  }

  /** Describes the conversation in the event that ends the step. */
  public @Nullable AgentConversation atEnd() {
    String session = turn.session();
    return session == null ? null : new AgentConversation(turn.agent(), session);
  }

  /** Captures the state. */
  AgentDescription capture(PackStore store) throws IOException, InterruptedException {
    return new AgentDescription(
        AgentDescription.state(turn, processes, state.capture(store)),
        conversation,
        metrics,
        contributors);
  }
}
