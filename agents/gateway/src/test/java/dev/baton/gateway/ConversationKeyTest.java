/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.gateway.key.AgentFamily;
import dev.baton.gateway.key.ConversationKeyBuilder;
import dev.baton.gateway.wire.ChatCompletionsForm;
import dev.baton.gateway.wire.MessagesForm;
import dev.baton.gateway.wire.ResponsesForm;
import dev.baton.gateway.wire.WireForm;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Fixtures pin the keys: each has a request, the same conversation as its agent sends it after a
 * resume, and others that must have another key. A changed key would pay journaled answers of
 * running agents again.
 */
class ConversationKeyTest {
  private static final Path FIXTURES = Path.of("src/test/resources/keys");

  private static JsonNode fixture(String name) throws IOException {
    return Json.mapper().readTree(Files.readAllBytes(FIXTURES.resolve(name + ".json")));
  }

  private static String key(JsonNode fixture, JsonNode request) throws Exception {
    WireForm form =
        Stream.of(new MessagesForm(), new ResponsesForm(), new ChatCompletionsForm())
            .filter(each -> each.id().equals(fixture.path("form").asText()))
            .findFirst()
            .orElseThrow();
    return new ConversationKeyBuilder(AgentFamily.of(fixture.path("use").asText()))
        .key(form, form.parse((ObjectNode) request));
  }

  @ParameterizedTest
  @ValueSource(strings = {"acp", "claude", "codex", "opencode"})
  void shouldKeepTheKeyOverAResumeAndForNothingElse(String name) throws Exception {
    JsonNode fixture = fixture(name);
    String key = key(fixture, fixture.path("request"));

    assertThat(key).as("pinned key").isEqualTo(fixture.path("key").asText());
    assertThat(fixture.path("same")).isNotEmpty();
    for (JsonNode same : fixture.path("same")) {
      assertThat(key(fixture, same.path("request"))).as(same.path("what").asText()).isEqualTo(key);
    }
    assertThat(fixture.path("different")).isNotEmpty();
    for (JsonNode other : fixture.path("different")) {
      assertThat(key(fixture, other.path("request")))
          .as(other.path("what").asText())
          .isNotEqualTo(key);
    }
  }

  @Test
  void shouldDistinguishTheSameTextLaterInAConversation() throws Exception {
    JsonNode fixture =
        Json.mapper().createObjectNode().put("form", "anthropic-messages").put("use", "claude");
    ObjectNode once = GatewayRig.messages(true, "again");
    ObjectNode twice = GatewayRig.messages(true, "again", "again");

    assertThat(key(fixture, once)).isNotEqualTo(key(fixture, twice));
  }

  @Test
  void shouldNameEveryFixture() throws IOException {
    try (Stream<Path> files = Files.list(FIXTURES)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(
              List.of("acp.json", "claude.json", "codex.json", "opencode.json"));
    }
  }
}
