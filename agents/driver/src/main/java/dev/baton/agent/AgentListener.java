/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import java.util.concurrent.CompletionStage;

/**
 * Receives what an agent does. The methods are called by one thread at a time for a session, in the
 * order of the agent's output; a slow one slows the agent down. An exception of a method ends the
 * session as failed.
 */
public interface AgentListener {
  /** Receives an event. */
  void happened(AgentEvent event);

  /**
   * A tool call needs a decision, by the rules or since the agent requests one. The agent waits,
   * without a bound of its own; other events may come before the decision. An agent that was
   * resumed within its turn requests the decision again, with the same id of the call.
   *
   * @return the decision, completed by any thread; an exceptional completion denies the call
   */
  CompletionStage<ToolDecision> decide(ToolApproval approval);
}
