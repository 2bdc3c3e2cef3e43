/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.claude;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.AgentEvent;
import dev.baton.gateway.spend.TokenUsage;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClaudeAnswerReaderTest {
  private final List<AgentEvent> events = new ArrayList<>();
  private final ClaudeAnswerReader reader = new ClaudeAnswerReader(events::add, () -> 0);

  @Test
  void shouldReportTheFinalUsageAndTheTools() {
    start("m1", "");
    tool("m1", "", "Bash");
    tool("m1", "", "Read");
    stream("", "{'type': 'message_delta', 'usage': {'output_tokens': 55}}");
    stream("", "{'type': 'message_stop'}");

    assertThat(events)
        .containsExactly(
            new AgentEvent.AnswerReported(
                "m1",
                "claude-x",
                "",
                List.of("Bash", "Read"),
                new TokenUsage(100, 7, 3, 2, 55, 0),
                0));
  }

  @Test
  void shouldNotGuessTheUsageOfAnAnswerThatBrokeOff() {
    start("m1", "");
    start("m2", "");
    stream("", "{'type': 'message_delta', 'usage': {'output_tokens': 4}}");
    reader.end();

    assertThat(usages()).containsExactly("m1 null", "m2 null");
  }

  @Test
  void shouldReportAnAnswerWithoutAStreamOnce() {
    start("m1", "");
    tool("m2", "toolu_1", "Bash");
    tool("m2", "toolu_1", "Read");

    assertThat(usages()).containsExactly("m2 null");
  }

  private List<String> usages() {
    return events.stream()
        .map(AgentEvent.AnswerReported.class::cast)
        .map(answer -> answer.id() + " " + answer.usage())
        .toList();
  }

  private void start(String id, String parent) {
    stream(
        parent,
        "{'type': 'message_start', 'message': {'id': '"
            + id
            + "', 'model': 'claude-x', 'usage': {'input_tokens': 100, 'cache_read_input_tokens': 7, 'cache_creation_input_tokens': 5, 'cache_creation': {'ephemeral_1h_input_tokens': 2}, 'output_tokens': 1}}}");
  }

  private void stream(String parent, String event) {
    reader.streamed(line(parent, "'event': " + event));
  }

  private void tool(String id, String parent, String name) {
    reader.assistant(
        line(
            parent,
            "'message': {'id': '%s', 'model': 'claude-x', 'content': [{'type': 'tool_use', 'name': '%s'}]}"
                .formatted(id, name)));
  }

  private static JsonNode line(String parent, String field) {
    String by = parent.isEmpty() ? "null" : "'" + parent + "'";
    return Json.tree(
        ("{'parent_tool_use_id': " + by + ", " + field + "}")
            .replace('\'', '"')
            .getBytes(StandardCharsets.UTF_8));
  }
}
