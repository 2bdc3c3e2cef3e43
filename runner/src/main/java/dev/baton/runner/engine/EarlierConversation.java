/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.state.AgentRest;
import dev.baton.protocol.state.StepPath;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.runner.capture.AgentStateTree;
import dev.baton.runner.capture.DamagedCheckpointException;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The conversation of an earlier step with which an agent step begins.
 *
 * @param rest whose state is in the home; null for a new session
 * @param missing why there is none although the step continues one; null for other steps
 */
record EarlierConversation(@Nullable AgentRest rest, @Nullable String missing) {
  /** The step begins in a new session. */
  static final EarlierConversation NONE = new EarlierConversation(null, null);

  /** Characters of the reason why there is none. */
  private static final int MAX_REASON = 1_000;

  /**
   * Restores the conversation that the step continues into its home, which is empty before.
   *
   * @throws RunBrokenException when it cannot be fetched now
   */
  static EarlierConversation restore(
      StepKind.Agent kind, ReplayedState memory, AgentHomeRestorer homes, AgentStateTree state)
      throws IOException, InterruptedException {
    Optional<String> id = kind.continueFrom();
    if (id.isEmpty()) {
      return NONE;
    }
    Optional<AgentRest> known = memory.rest(StepPath.branchOf(homes.context().step()), id.get());
    if (known.isEmpty()) {
      return missing(
          "step '%s' has not completed, or its conversation is in no checkpoint"
              .formatted(id.get()));
    }
    AgentRest rest = known.get();
    if (!rest.agent().equals(kind.use())) {
      return missing(
          "the conversation of step '%s' is one of agent '%s', not of '%s'"
              .formatted(id.get(), rest.agent(), kind.use()));
    }
    try {
      homes.restore(state, rest);
    } catch (DamagedCheckpointException e) {
      return missing(
          "the conversation of step '%s' cannot be restored: %s"
              .formatted(id.get(), e.getMessage()));
    }
    return new EarlierConversation(rest, null);
  }

  private static EarlierConversation missing(String reason) {
    return new EarlierConversation(null, TextShortener.shorten(reason, MAX_REASON));
  }

  /** Whether the step continues the conversation of an earlier step, also one that is missing. */
  boolean isWanted() {
    return rest != null || missing != null;
  }
}
