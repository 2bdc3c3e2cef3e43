/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.trace.AgentChange;
import org.jspecify.annotations.Nullable;

/**
 * How an agent step of a fork differs from that of its parent.
 *
 * @param session of the parent, whose conversation the next process continues under another id;
 *     null once the fork has a boundary of its own, or starts the step from the beginning
 * @param agent that the session belongs to; null with the session
 * @param prompt that continues the conversation; null for none, and in later visits
 * @param model instead of that of the definition, in all visits; null for that
 * @param use the agent instead of that of the definition, in all visits; null for that
 */
public record AgentFork(
    @Nullable String session,
    @Nullable String agent,
    @Nullable String prompt,
    @Nullable String model,
    @Nullable String use) {

  /** Returns the fork with what its creation changes. */
  AgentFork with(AgentChange change) {
    return new AgentFork(
        session,
        agent,
        change.prompt(),
        change.model() == null ? model : change.model(),
        change.use() == null ? use : change.use());
  }

  /** Returns the fork once no process continues the parent's session any more. */
  public AgentFork begun() {
    return session == null ? this : new AgentFork(null, null, prompt, model, use);
  }

  /** Returns the fork in a later visit of the step. */
  AgentFork inNextVisit() {
    return new AgentFork(null, null, null, model, use);
  }
}
