/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.trace.AgentConversation;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.TraceEvent;
import org.jspecify.annotations.Nullable;

/**
 * The conversation of an agent step at the end of its newest visit, with which a later step
 * continues.
 *
 * @param agent as in the workflow's {@code use}
 * @param session the agent's own id of its session
 * @param cut the step's files, in whose checkpoint is the agent's state
 * @param ofParent whether the conversation is that of the run's parent, so that a step continues it
 *     in a session of its own
 */
public record AgentRest(String agent, String session, Cut cut, boolean ofParent) {
  /**
   * Returns the conversation with which a step has ended; null where no later step continues it.
   */
  public static @Nullable AgentRest of(TraceEvent.StepCompleted done) {
    AgentConversation conversation = done.conversation();
    Cut cut = done.cut();
    return conversation == null || cut == null
        ? null
        : new AgentRest(conversation.agent(), conversation.session(), cut, false);
  }

  /** Returns the same conversation for a fork, with its own copy of the checkpoint. */
  AgentRest inFork(String copy) {
    return new AgentRest(agent, session, cut.withCheckpoint(copy), true);
  }
}
