/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.gateway.key.AgentFamily;
import dev.baton.protocol.json.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplayIndexTest {
  private static final String AFFINITY = "sha256:tools";

  private static JournaledAnswer answer(String conversation, String key, String... tools) {
    return new JournaledAnswer(
        "work",
        conversation,
        key,
        AFFINITY,
        "anthropic-messages",
        "model",
        Json.mapper().createObjectNode(),
        null,
        null,
        null,
        1,
        List.of(tools));
  }

  @Test
  void shouldCountTheAnswersOfTheConversationThatContinues() {
    ReplayIndex index =
        new ReplayIndex(
            List.of(answer("one", "k1", "bash"), answer("two", "k2", "bash")), AgentFamily.CLAUDE);

    assertThat(index.take("one", "k1", AFFINITY)).isPresent();

    assertThat(index.left("one", AFFINITY)).isZero();
    assertThat(index.left("two", AFFINITY)).isEqualTo(1);
    assertThat(index.isLeftOfOthers("one")).isTrue();
    assertThat(index.isLeftOfOthers("two")).isFalse();
  }

  @Test
  void shouldFollowASubAgentThatHasAnotherNameNow() {
    ReplayIndex index =
        new ReplayIndex(
            List.of(
                answer("main/old", "k1", "bash"),
                answer("main/old", "k2", "bash"),
                answer("main/second", "k3", "bash")),
            AgentFamily.CLAUDE);

    assertThat(index.take("main/new", "k1", AFFINITY)).isPresent();

    assertThat(index.left("main/new", AFFINITY)).isEqualTo(1);
    assertThat(index.take("main/new", "k2", AFFINITY)).isPresent();
    assertThat(index.left("main/new", AFFINITY)).isZero();
    assertThat(index.isLeftOfOthers("main/new")).isTrue();
  }

  @Test
  void shouldCountAllAnswersForAConversationThatTheJournalDoesNotHave() {
    ReplayIndex index =
        new ReplayIndex(
            List.of(answer("one", "k1", "bash"), answer("title", "k2")), AgentFamily.CLAUDE);

    assertThat(index.left("other", AFFINITY)).isEqualTo(2);
    assertThat(index.left("other", "sha256:other")).isEqualTo(1);
  }

  @Test
  void shouldNotExpectWhatFollowedTheStartOfASubAgent() {
    ReplayIndex index =
        new ReplayIndex(
            List.of(
                answer("main", "k1", "spawn_agent"),
                answer("main", "k2", "bash"),
                answer("main/sub", "s1", "bash")),
            AgentFamily.CODEX);

    assertThat(index.take("main", "k1", AFFINITY)).isPresent();

    assertThat(index.left("main", AFFINITY)).as("it starts another one").isZero();
    assertThat(index.isLeftOfOthers("main/sub")).isFalse();
    assertThat(index.isLeftOfOthers("main")).isTrue();
    assertThat(index.take("main", "k2", AFFINITY)).as("it may do so all the same").isPresent();
  }

  @Test
  void shouldExpectNothingOfASubAgentBesideItsParentThatTheJournalDoesNotHave() {
    ReplayIndex index = new ReplayIndex(List.of(answer("main", "k1", "bash")), AgentFamily.CODEX);

    assertThat(index.left("main/sub", AFFINITY)).as("its own answers were lost").isZero();
    assertThat(index.left("main", AFFINITY)).isEqualTo(1);
  }
}
