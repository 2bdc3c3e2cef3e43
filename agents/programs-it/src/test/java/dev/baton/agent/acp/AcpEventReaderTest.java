/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.acp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.testkit.RecordedLines;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads updates that claude-agent-acp 0.101.0 has sent. */
class AcpEventReaderTest {
  private final List<AgentEvent> events = new ArrayList<>();
  private final AcpEventReader reader = new AcpEventReader(events::add);

  private List<String> read() throws IOException {
    List<String> unknown = new ArrayList<>();
    for (JsonNode line : RecordedLines.of("acp/updates.jsonl")) {
      JsonNode params = line.path("params");
      if (line.path("method").asText().equals("session/request_permission")) {
        reader.asked(params.path("toolCall"));
      } else if (!reader.updated(params.path("update"))) {
        unknown.add(params.path("update").path("sessionUpdate").asText());
      }
    }
    reader.flush();
    return unknown;
  }

  @Test
  void shouldReportToolsPlansAndSubAgents() throws IOException {
    assertThat(read()).isEmpty();

    assertThat(RecordedLines.texts(events))
        .containsExactly(
            "text 'one' parent=",
            "begun toolu_2_1 Bash parent=",
            "ended toolu_2_1 Bash OK [] 31",
            "text 'two' parent=",
            "begun toolu_3_1 Bash parent=",
            "begun toolu_3_2 Bash parent=",
            "ended toolu_3_1 Bash OK [] 31",
            "ended toolu_3_2 Bash FAILED [] 11",
            "begun toolu_4_0 Write parent=",
            "ended toolu_4_0 Write OK [/work/notes.txt] 105",
            "plan [PlanItem[text=fix it, status=pending]]",
            "plan [PlanItem[text=fix it, status=pending]]",
            "begun toolu_6_0 Agent parent=",
            "sub-agent toolu_6_0 of '': general-purpose, look",
            "begun toolu_7_1 Bash parent=toolu_6_0",
            "ended toolu_7_1 Bash OK [] 31",
            "begun toolu_8_1 Bash parent=toolu_6_0",
            "begun toolu_8_2 Bash parent=toolu_6_0",
            "ended toolu_8_1 Bash OK [] 31",
            "ended toolu_8_2 Bash FAILED [] 11",
            "plan [PlanItem[text=fix it, status=pending], PlanItem[text=fix it, status=pending]]",
            "plan [PlanItem[text=fix it, status=pending], PlanItem[text=fix it, status=pending], PlanItem[text=fix it, status=pending]]",
            "plan [PlanItem[text=fix it, status=pending], PlanItem[text=fix it, status=pending], PlanItem[text=fix it, status=pending], PlanItem[text=fix it, status=pending]]",
            "ended toolu_6_0 Agent OK [] 69",
            "sub-agent toolu_6_0 OK",
            "text 'all done' parent=");
    assertThat(reader.finalText()).isEqualTo("all done");
  }

  @Test
  void shouldReportADeniedCall() throws IOException {
    reader.denied("toolu_3_2");
    read();

    assertThat(events)
        .filteredOn(AgentEvent.ToolEnded.class::isInstance)
        .extracting(event -> ((AgentEvent.ToolEnded) event).outcome())
        .contains(AgentEvent.ToolOutcome.DENIED);
  }

  @Test
  void shouldNotKnowOtherUpdates() throws IOException {
    assertThat(reader.updated(Json.mapper().readTree("{\"sessionUpdate\":\"hologram\"}")))
        .isFalse();
  }

  @Test
  void shouldNameToolsOfAgentsWithoutNames() throws IOException {
    assertThat(
            AcpEventReader.name(
                Json.mapper().readTree("{\"title\":\"bash\",\"kind\":\"execute\"}")))
        .isEqualTo("bash");
    assertThat(
            AcpEventReader.name(
                Json.mapper().readTree("{\"title\":\"Run the tests\",\"kind\":\"execute\"}")))
        .isEqualTo("execute");
  }
}
