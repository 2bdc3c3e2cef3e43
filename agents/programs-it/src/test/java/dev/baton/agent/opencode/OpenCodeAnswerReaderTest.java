/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.opencode;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.testkit.RecordedLines;
import dev.baton.gateway.spend.TokenUsage;
import dev.baton.protocol.json.Json;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads events that OpenCode 1.18.33 has sent. */
class OpenCodeAnswerReaderTest {
  private static final String MAIN = "ses_de6b9dc30ffeUwHtoqtGKwm0MC";
  private static final String SUB = "ses_de6b9b8a7ffejVwyJao0Oev3XS";

  private final List<AgentEvent> events = new ArrayList<>();
  private final OpenCodeAnswerReader reader = new OpenCodeAnswerReader(events::add);

  private List<AgentEvent.AnswerReported> answers() {
    return events.stream().map(AgentEvent.AnswerReported.class::cast).toList();
  }

  @Test
  void shouldReportEachAnswerWithItsUsage() throws Exception {
    reader.main(MAIN);
    List<String> settledAt = new ArrayList<>();
    List<String> calls = List.of("call_8_0_0", "call_8_0_1");
    for (JsonNode line : RecordedLines.of("opencode/events.jsonl")) {
      boolean before = reader.isSettled(calls);
      reader.happened(line.path("type").asText(), line.path("properties"));
      if (!before && reader.isSettled(calls)) {
        settledAt.add(line.path("properties").path("part").path("type").asText());
      }
    }

    assertThat(answers())
        .hasSize(7)
        .allMatch(answer -> answer.model().equals("gpt-5"))
        .allMatch(answer -> new TokenUsage(100, 0, 0, 0, 10, 0).equals(answer.usage()));
    assertThat(answers())
        .extracting(AgentEvent.AnswerReported::parent)
        .containsExactly("", "", "", SUB, SUB, "", "");
    assertThat(answers())
        .extracting(AgentEvent.AnswerReported::tools)
        .startsWith(List.of("bash", "bash"), List.of("apply_patch", "webfetch"));
    assertThat(settledAt).as("by the end of their answer").containsExactly("step-finish");
    assertThat(reader.isSettled(List.of())).isTrue();
    assertThat(reader.isSettled(List.of("call_8_0_0", "another"))).isFalse();
  }

  @Test
  void shouldReportAnAnswerThatBreaksOffWithoutUsage() throws Exception {
    reader.main("ses_1");
    message("{\"created\": 1}");
    message("{\"created\": 1, \"completed\": 2}");
    assertThat(events).as("a refused request has no answer").isEmpty();

    part("{\"type\": \"text\", \"messageID\": \"msg_1\", \"text\": \"one\"}");
    message("{\"created\": 1, \"completed\": 2}");
    part(
        "{\"type\": \"step-finish\", \"messageID\": \"msg_1\", \"tokens\": {\"input\": 1, \"output\": 1}}");

    assertThat(answers())
        .singleElement()
        .satisfies(
            answer -> {
              assertThat(answer.id()).isEqualTo("msg_1");
              assertThat(answer.usage()).isNull();
            });
  }

  private void message(String time) throws Exception {
    send(
        "message.updated",
        "{\"info\": {\"id\": \"msg_1\", \"role\": \"assistant\", \"sessionID\": \"ses_1\","
            + " \"modelID\": \"m\", \"time\": %s}}".formatted(time));
  }

  private void part(String part) throws Exception {
    send("message.part.updated", "{\"part\": %s}".formatted(part));
  }

  private void send(String type, String properties) throws Exception {
    reader.happened(type, Json.mapper().readTree(properties));
  }
}
