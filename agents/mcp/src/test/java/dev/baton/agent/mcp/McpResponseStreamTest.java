/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.json.Json;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class McpResponseStreamTest {
  @Test
  void shouldWriteProgressThatWaitsWhenTheAnswerIsThere() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    McpResponseStream stream = new McpResponseStream(out, TextNode.valueOf("mine"));
    JsonNode answer = Json.mapper().createObjectNode();

    stream.progress(Json.mapper().createObjectNode().put("progress", 1));
    stream.progress(Json.mapper().createObjectNode().put("progress", 2));
    stream.follow(CompletableFuture.completedFuture(answer), Duration.ofSeconds(1));
    stream.end(Json.mapper().createObjectNode().put("id", 7));

    assertThat(out.toString(StandardCharsets.UTF_8).lines().filter(line -> line.startsWith("data")))
        .satisfiesExactly(
            event -> assertThat(event).contains("\"progress\":1", "\"progressToken\":\"mine\""),
            event -> assertThat(event).contains("\"progress\":2"),
            event -> assertThat(event).contains("\"id\":7"));
  }
}
