/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.notification;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.net.URI;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NotificationWriterTest {
  private static TraceRecord session(@Nullable String degraded) {
    return new TraceRecord(
        new EventId("01jd0000000000000000000001", Lane.runner(1), 3),
        URI.create("/test"),
        Instant.EPOCH,
        new TraceEvent.AgentSessionCreated(
            "work", "claude", "s2", null, null, null, true, "c1", degraded, null));
  }

  @Test
  void shouldNotifyOfAnAgentOnlyWhenItsSessionWasLost() {
    NotificationWriter writer = new NotificationWriter(Set.of("agent_session_created"), false);

    ObjectNode row = writer.of(session("its file is torn")).orElseThrow();

    assertThat(row.path("event").asText()).isEqualTo("agent_session_created");
    assertThat(row.path("data").path("degraded").asText()).isEqualTo("its file is torn");
    assertThat(row.path("data").path("step").asText()).isEqualTo("work");
    assertThat(writer.of(session(null))).isEmpty();
    assertThat(new NotificationWriter(Set.of("run_lost"), false).of(session("torn"))).isEmpty();
  }
}
