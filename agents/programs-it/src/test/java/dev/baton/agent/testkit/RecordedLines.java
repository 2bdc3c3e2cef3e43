/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.AgentEvent;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Recorded lines of agents, and events as short texts. */
public final class RecordedLines {
  private RecordedLines() {}

  /** The lines of a fixture, as JSON. */
  public static List<JsonNode> of(String fixture) throws IOException {
    List<JsonNode> lines = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of("src/test/resources").resolve(fixture))) {
      lines.add(Json.mapper().readTree(line));
    }
    return lines;
  }

  /** Events without digests and texts of inputs. */
  public static List<String> texts(List<AgentEvent> events) {
    return events.stream().map(RecordedLines::text).toList();
  }

  private static String text(AgentEvent event) {
    return switch (event) {
      case AgentEvent.ToolBegun begun ->
          "begun %s %s parent=%s".formatted(begun.callId(), begun.tool(), begun.parent());
      case AgentEvent.ToolEnded ended ->
          "ended %s %s %s %s %d"
              .formatted(
                  ended.callId(),
                  ended.tool(),
                  ended.outcome(),
                  ended.files(),
                  ended.outputLength());
      case AgentEvent.AssistantText text ->
          "text '%s' parent=%s".formatted(text.text(), text.parent());
      case AgentEvent.PlanUpdated plan -> "plan " + plan.items();
      case AgentEvent.SubAgentStarted sub ->
          "sub-agent %s of '%s': %s, %s"
              .formatted(sub.id(), sub.parent(), sub.name(), sub.description());
      case AgentEvent.SubAgentEnded sub -> "sub-agent %s %s".formatted(sub.id(), sub.outcome());
      case AgentEvent.UsageReported usage -> "usage %d %d".formatted(usage.input(), usage.output());
      default -> event.toString();
    };
  }
}
