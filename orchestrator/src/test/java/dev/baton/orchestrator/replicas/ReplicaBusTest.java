/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.trace.RunId;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ReplicaBusTest {
  static Stream<ReplicaMessage> messages() {
    return Stream.of(
        new ReplicaMessage.Deliver("run", "approval"),
        new ReplicaMessage.Pause("run", 2, true),
        new ReplicaMessage.Cancel("run", "because"),
        new ReplicaMessage.Fence(Map.of("run", 2)),
        new ReplicaMessage.Checkpoint("run", "manual", "id"),
        new ReplicaMessage.CheckpointTaken("id"),
        new ReplicaMessage.CheckpointRefused("id", "why"),
        new ReplicaMessage.SlotWanted(),
        new ReplicaMessage.Recheck("runner"),
        new ReplicaMessage.WhoHas("runner"),
        new ReplicaMessage.Has("runner"),
        new ReplicaMessage.StopIdle("runner"),
        new ReplicaMessage.RunnerPoolsChanged());
  }

  @ParameterizedTest
  @MethodSource("messages")
  void shouldBeUnderstoodByOthersAndIgnoredByItself(ReplicaMessage message) {
    String payload = ReplicaBus.encode("a", message);

    assertThat(ReplicaBus.decode("b", payload)).contains(message);
    assertThat(ReplicaBus.decode("a", payload)).isEmpty();
  }

  @Test
  void shouldHaveRoomForAsManyRunsAsAFenceMayHave() {
    Map<String, Integer> below = new HashMap<>();
    for (int n = 0; n < ReplicaMessage.Fence.MOST_RUNS; n++) {
      below.put(RunId.next(), 999_999_999);
    }

    assertThat(ReplicaBus.encode("x".repeat(100), new ReplicaMessage.Fence(below))).isNotEmpty();
  }

  @Test
  void shouldRefuseWhatPostgresWouldNotTake() {
    assertThatThrownBy(
            () -> ReplicaBus.encode("a", new ReplicaMessage.Cancel("run", "x".repeat(8_000))))
        .hasMessageContaining("at most 7900 bytes");
  }

  @Test
  void shouldLeaveWhatALaterVersionSays() {
    assertThat(ReplicaBus.decode("b", "{\"from\":\"a\",\"message\":{\"unknown\":\"news\"}}"))
        .isEmpty();
    assertThat(ReplicaBus.decode("b", "rubbish")).isEmpty();
  }
}
