/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import java.util.concurrent.CompletableFuture;
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

  /**
   * A tool call is allowed and about to run that {@link ToolRules#watches} names. It waits, without
   * a bound of its own, until its begin is recorded. A call that an agent repeats since it was lost
   * in it may be kept from running again. May come several times for one call.
   *
   * @return whether it runs, completed by any thread; an exceptional completion denies the call
   */
  CompletionStage<ToolDecision> begin(ToolApproval call);

  /**
   * An agent with its own login has the results of all calls of an answer, and waits before its
   * next request, without a bound of its own. Its files have the results soon after.
   *
   * @return completes, by any thread, when the agent may continue; also exceptionally
   */
  default CompletionStage<Void> rest() {
    return CompletableFuture.completedFuture(null);
  }

  /** Requests the decision on a call, and then whether it begins: for calls of both kinds. */
  default CompletionStage<ToolDecision> decideAndBegin(ToolApproval call, ToolRules rules) {
    CompletionStage<ToolDecision> decision = decide(call);
    return rules.watches(call.tool(), call.mainInput())
        ? decision.thenCompose(
            verdict ->
                verdict instanceof ToolDecision.Allow
                    ? begin(call)
                    : CompletableFuture.completedFuture(verdict))
        : decision;
  }
}
