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
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads events that OpenCode 1.18.33 has sent. */
class OpenCodeEventReaderTest {
  private static final String MAIN = "ses_de6b9dc30ffeUwHtoqtGKwm0MC";
  private static final String SUB = "ses_de6b9b8a7ffejVwyJao0Oev3XS";

  private final List<AgentEvent> events = new ArrayList<>();
  private final OpenCodeEventReader reader = new OpenCodeEventReader(events::add);

  private List<String> read() throws IOException {
    List<String> unknown = new ArrayList<>();
    reader.main(MAIN);
    for (JsonNode line : RecordedLines.of("opencode/events.jsonl")) {
      String type = line.path("type").asText();
      // The session answers permissions itself.
      if (!type.equals("permission.asked") && !reader.happened(type, line.path("properties"))) {
        unknown.add(type);
      }
    }
    return unknown;
  }

  @Test
  void shouldReportToolsPlansAndSubAgents() throws IOException {
    assertThat(read()).isEmpty();

    assertThat(RecordedLines.texts(events))
        .containsExactly(
            "begun call_8_0_0 bash parent=",
            "begun call_8_0_1 bash parent=",
            "text 'one' parent=",
            "ended call_8_0_0 bash OK [] 11",
            "ended call_8_0_1 bash FAILED [] 11",
            "usage 100 10",
            "begun call_9_1_0 apply_patch parent=",
            "begun call_9_1_1 webfetch parent=",
            "ended call_9_1_0 apply_patch OK [/work/notes.txt] 54",
            "ended call_9_1_1 webfetch DENIED [] 0",
            "usage 200 20",
            "begun call_10_2_0 todowrite parent=",
            "plan [PlanItem[text=fix it, status=in_progress]]",
            "ended call_10_2_0 todowrite OK [] 88",
            "usage 300 30",
            "begun call_11_3_0 task parent=",
            "begun call_11_3_1 nosuch parent=",
            "ended call_11_3_1 nosuch FAILED [] 191",
            "sub-agent " + SUB + " of '': general, look (@general subagent)",
            "begun call_12_0_0 bash parent=" + SUB,
            "text 's1' parent=" + SUB,
            "ended call_12_0_0 bash OK [] 4",
            "usage 400 40",
            "text 'sub done' parent=" + SUB,
            "usage 500 50",
            "sub-agent " + SUB + " OK",
            "ended call_11_3_0 task OK [] 106",
            "usage 600 60",
            "text 'all done' parent=",
            "usage 700 70");
    assertThat(reader.finalText()).isEqualTo("all done");
  }

  @Test
  void shouldReportEachPartOnce() throws IOException {
    read();
    int once = events.size();
    for (JsonNode line : RecordedLines.of("opencode/events.jsonl")) {
      if (line.path("type").asText().startsWith("message.")) {
        reader.happened(line.path("type").asText(), line.path("properties"));
      }
    }

    assertThat(events).hasSize(once);
  }

  @Test
  void shouldNotKnowOtherEvents() throws IOException {
    assertThat(reader.happened("session.next.prompted", Json.mapper().createObjectNode()))
        .isFalse();
  }
}
