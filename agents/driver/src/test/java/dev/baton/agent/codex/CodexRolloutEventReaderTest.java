/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.codex;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.agent.AgentEvent;
import dev.baton.protocol.json.Json;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows as Codex 0.169 writes them, shortened. */
class CodexRolloutEventReaderTest {
  private static final String CALLED =
      """
      {"type": "response_item", "payload": {"type": "function_call", "name": "exec_command",
        "call_id": "call_1", "arguments": "{\\"cmd\\":\\"make test\\"}"}}
      """;
  private static final String ENDED =
      """
      {"type": "event_msg", "payload": {"type": "item_completed", "item": {
        "type": "CommandExecution", "id": "call_1", "command": ["bash", "-c", "make test"],
        "status": "completed", "aggregated_output": "ok"}}}
      """;

  private final List<AgentEvent> seen = new ArrayList<>();
  private final CodexRolloutEventReader rows =
      new CodexRolloutEventReader(new CodexEventReader(seen::add));

  private void read(String... texts) throws Exception {
    for (String text : texts) {
      rows.row(Json.mapper().readTree(text));
    }
  }

  @Test
  void shouldReportACommandWhenItBeginsAndWhenItEnds() throws Exception {
    read(CALLED);
    assertThat(seen)
        .singleElement()
        .isInstanceOfSatisfying(
            AgentEvent.ToolBegun.class,
            begun -> {
              assertThat(begun.callId()).isEqualTo("call_1");
              assertThat(begun.tool()).isEqualTo("shell");
              assertThat(begun.input()).contains("make test");
            });

    read(ENDED);

    assertThat(seen).hasSize(2);
    assertThat(seen.getLast())
        .isEqualTo(
            new AgentEvent.ToolEnded("call_1", "shell", AgentEvent.ToolOutcome.OK, List.of(), 2));
  }

  @Test
  void shouldEndACommandOnceThatAPersonHasStopped() throws Exception {
    read(
        CALLED,
        """
        {"type": "response_item", "payload": {"type": "function_call_output",
          "call_id": "call_1", "output": "aborted by user"}}
        """,
        ENDED);

    assertThat(seen).hasSize(2);
    assertThat(seen.getLast())
        .isInstanceOfSatisfying(
            AgentEvent.ToolEnded.class,
            ended -> assertThat(ended.outcome()).isEqualTo(AgentEvent.ToolOutcome.INTERRUPTED));
  }

  @Test
  void shouldKeepTheNewestTextAsTheAnswer() throws Exception {
    assertThat(rows.answer()).isEmpty();

    read(text("first"), text("second"), text(""));

    assertThat(rows.answer()).isEqualTo("second");
  }

  @Test
  void shouldSkipRowsThatItDoesNotKnow() throws Exception {
    read(
        "{}",
        "[]",
        "{\"type\": \"event_msg\", \"payload\": {\"type\": \"item_completed\", \"item\": 3}}",
        "{\"type\": \"event_msg\", \"payload\": {\"type\": \"item_completed\", \"item\": {}}}",
        "{\"type\": \"response_item\", \"payload\": {\"type\": \"function_call\","
            + " \"name\": \"shell\", \"arguments\": \"{\"}}");

    assertThat(seen).isEmpty();
  }

  private static String text(String text) {
    return """
    {"type": "event_msg", "payload": {"type": "item_completed", "item": {
      "type": "AgentMessage", "id": "m", "content": [{"type": "Text", "text": "%s"}]}}}
    """
        .formatted(text);
  }
}
