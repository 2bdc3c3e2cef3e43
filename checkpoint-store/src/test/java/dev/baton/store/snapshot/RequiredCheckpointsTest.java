/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.state.StateFold;
import dev.baton.protocol.trace.AgentConversation;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RequiredCheckpointsTest {
  private final String run = RunId.next();
  private final StateFold fold = new StateFold(RunState.empty(run));
  private long seq;

  private void accept(Lane lane, long number, TraceEvent event) {
    fold.accept(
        new TraceRecord(new EventId(run, lane, number), URI.create("/test"), Instant.EPOCH, event));
  }

  private void completed(String step, String checkpoint, @Nullable AgentConversation conversation) {
    Cut cut =
        new Cut(
            Digest.of(checkpoint.getBytes(StandardCharsets.UTF_8)),
            "baton-tree-2",
            1,
            1,
            1,
            checkpoint);
    accept(Lane.runner(1), ++seq, new TraceEvent.StepStarted(step, "agent", 1, 1));
    accept(
        Lane.runner(1),
        ++seq,
        new TraceEvent.AgentSessionCreated(
            step, "loop", "s1", null, null, null, false, null, null, null));
    accept(
        Lane.runner(1),
        ++seq,
        new TraceEvent.StepCompleted(
            step,
            "agent",
            1,
            1,
            null,
            cut,
            false,
            List.of(),
            0,
            null,
            Instant.EPOCH,
            1,
            null,
            conversation));
  }

  @Test
  void shouldNeedTheConversationsThatLaterStepsMayContinue() {
    accept(Lane.CONTROL, 1, new TraceEvent.RunnerAssigned(1, "r", "start"));

    completed("first", "c1", new AgentConversation("loop", "s1"));
    completed("second", "c2", null);
    completed("third", "c3", null);

    assertThat(RequiredCheckpoints.need(fold.state()))
        .as("the newest files, and the conversation")
        .isEqualTo(new RequiredCheckpoints.Need.Alive(Set.of("c1", "c3")));
  }
}
