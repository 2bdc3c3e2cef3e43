/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.state.AgentRest;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.trace.AgentConversation;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.TraceEvent;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The conversations that later steps continue. */
class ReplayedStateTest {
  private static final Cut CUT = new Cut(Digest.of(new byte[0]), "baton-tree-2", 1, 1, 1, "c1");

  private final ReplayedState state = new ReplayedState(RunState.empty("run"), OptionalLong::empty);

  private void completed(String step, @Nullable String session) {
    state.sent(
        new TraceEvent.StepCompleted(
            step,
            "agent",
            1,
            1,
            null,
            CUT,
            false,
            List.of(),
            0,
            null,
            Instant.EPOCH,
            1,
            null,
            session == null ? null : new AgentConversation("loop", session)));
  }

  @Test
  void shouldFindTheConversationOnTheSameLineOrOneAroundIt() {
    completed("first", "s1");
    completed("both/a/inner", "s2");

    assertThat(state.rest("", "first")).contains(new AgentRest("loop", "s1", CUT, false));
    assertThat(state.rest("both/a", "first")).isPresent();
    assertThat(state.rest("both/a/deep/0", "first")).isPresent();
    assertThat(state.rest("both/a/deep/0", "inner"))
        .contains(new AgentRest("loop", "s2", CUT, false));
    assertThat(state.rest("both/b", "inner")).as("in another branch").isEmpty();
    assertThat(state.rest("", "inner")).isEmpty();
  }

  @Test
  void shouldForgetAConversationWhenItsStepStartsAgain() {
    completed("first", "s1");

    state.sent(new TraceEvent.StepStarted("first", "agent", 2, 1));

    assertThat(state.rest("", "first")).isEmpty();
    completed("first", null);
    assertThat(state.rest("", "first")).as("an end without a conversation").isEmpty();
  }
}
