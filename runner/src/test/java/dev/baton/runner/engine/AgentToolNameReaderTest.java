/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tools that answers of the three forms call. */
class AgentToolNameReaderTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        """
        {"events": [
          {"event": "content_block_start", "data": {"content_block": {"type": "text"}}},
          {"event": "content_block_start", "data": {"content_block": {"type": "tool_use", "name": "Bash"}}},
          {"event": "content_block_start", "data": {"content_block": {"type": "tool_use", "name": "Edit"}}}]}
        """,
        """
        {"message": {"content": [{"type": "tool_use", "name": "Bash"}, {"type": "text"},
          {"type": "tool_use", "name": "Edit"}]}}
        """,
        """
        {"events": [
          {"data": {"type": "response.output_item.added", "item": {"type": "function_call", "name": "Bash"}}},
          {"data": {"type": "response.output_item.done", "item": {"type": "function_call", "name": "Bash"}}},
          {"data": {"type": "response.output_item.done", "item": {"type": "message"}}},
          {"data": {"type": "response.output_item.done", "item": {"type": "function_call", "name": "Edit"}}}]}
        """,
        """
        {"message": {"output": [{"type": "function_call", "name": "Bash"},
          {"type": "function_call", "name": "Edit"}]}}
        """,
        """
        {"events": [
          {"data": {"choices": [{"delta": {"tool_calls": [{"function": {"name": "Bash", "arguments": ""}}]}}]}},
          {"data": {"choices": [{"delta": {"tool_calls": [{"function": {"arguments": "{}"}}]}}]}},
          {"data": {"choices": [{"delta": {"tool_calls": [{"function": {"name": "Edit"}}]}}]}}]}
        """,
        """
        {"message": {"choices": [{"message": {"tool_calls": [{"function": {"name": "Bash"}},
          {"function": {"name": "Edit"}}]}}]}}
        """
      })
  void shouldListTheToolsOfAnAnswer(String answer) {
    assertThat(AgentToolNameReader.of(Json.tree(answer.getBytes(StandardCharsets.UTF_8))))
        .containsExactly("Bash", "Edit");
  }
}
