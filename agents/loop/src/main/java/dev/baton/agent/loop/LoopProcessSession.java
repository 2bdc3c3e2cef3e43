/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentListener;
import dev.baton.agent.AgentProcess;
import dev.baton.agent.ToolDecision;
import dev.baton.agent.loop.tool.SubAgentTool;
import dev.baton.agent.process.ProcessAgentSession;
import dev.baton.agent.process.ToolInput;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A running loop, seen from its driver. */
final class LoopProcessSession extends ProcessAgentSession {
  private static final Duration END_BOUND = Duration.ofSeconds(10);

  private final String version;

  private LoopProcessSession(AgentProcess process, AgentListener listener, String version) {
    super(process, listener);
    this.version = version;
  }

  static LoopProcessSession begin(
      AgentProcess process, AgentListener listener, String version, LoopSettings settings) {
    LoopProcessSession session = new LoopProcessSession(process, listener, version);
    session.send((ObjectNode) Json.mapper().valueToTree(settings));
    session.begin();
    return session;
  }

  @Override
  protected void line(JsonNode line) {
    String call = line.path("call").asText();
    String tool = line.path("tool").asText();
    String child = line.path("child").asText();
    switch (line.path("type").asText()) {
      case "session" ->
          emit(
              new AgentEvent.SessionStarted(
                  line.path("id").asText(),
                  "loop",
                  version,
                  line.path("model").asText(),
                  Map.of()));
      case "tool_begun" -> {
        ToolInput input = new ToolInput(line.path("input"));
        emit(
            new AgentEvent.ToolBegun(
                call, tool, input.digest(), input.text(ToolInput.SHORT), child));
        // All decisions come before. What a sub-agent does is in calls of its own: while one of
        // them
        // waits for a decision, nothing else runs.
        if (!tool.equals(SubAgentTool.NAME)) {
          emit(new AgentEvent.ToolAllowed(call));
        }
      }
      case "tool_ended" ->
          emit(
              new AgentEvent.ToolEnded(
                  call,
                  tool,
                  outcome(line),
                  texts(line.path("files")),
                  line.path("length").asLong()));
      case "plan" -> emit(new AgentEvent.PlanUpdated(items(line.path("items"))));
      case "text" -> emit(new AgentEvent.AssistantText(line.path("text").asText(), child));
      case "compacted" -> emit(new AgentEvent.Compacted("auto", line.path("tokens").asLong()));
      case "child_started" ->
          emit(
              new AgentEvent.SubAgentStarted(
                  line.path("session").asText(),
                  line.path("parent").asText(),
                  "loop",
                  line.path("description").asText()));
      case "child_ended" ->
          emit(new AgentEvent.SubAgentEnded(line.path("session").asText(), outcome(line)));
      case "notice" ->
          emit(
              new AgentEvent.Notice(
                  TextShortener.shorten(line.path("text").asText(), AgentEvent.MOST_TEXT)));
      case "decide" ->
          answer(
              call,
              listener()
                  .decide(
                      new ToolInput(line.path("input"))
                          .approval(call, tool, "the rules of the workflow require a decision")));
      case "begin" ->
          answer(
              call, listener().begin(new ToolInput(line.path("input")).approval(call, tool, "")));
      case "end" -> {
        decide(
            AgentEnd.Kind.valueOf(line.path("kind").asText().toUpperCase(Locale.ROOT)),
            line.path("text").asText(),
            line.path("message").asText());
        endWithin(END_BOUND);
      }
      default -> unknown(line.path("type").asText(), line.toString());
    }
  }

  private static AgentEvent.ToolOutcome outcome(JsonNode line) {
    return AgentEvent.ToolOutcome.valueOf(line.path("outcome").asText().toUpperCase(Locale.ROOT));
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(text -> texts.add(text.asText()));
    return texts;
  }

  private static List<AgentEvent.PlanItem> items(JsonNode list) {
    List<AgentEvent.PlanItem> items = new ArrayList<>();
    list.forEach(
        item ->
            items.add(
                new AgentEvent.PlanItem(item.path("text").asText(), item.path("status").asText())));
    return items;
  }

  private void answer(String call, CompletionStage<ToolDecision> request) {
    request.whenComplete(
        (decision, problem) -> locked(() -> send(answer(call, decision, problem))));
  }

  private static ObjectNode answer(
      String call, @Nullable ToolDecision decision, @Nullable Throwable problem) {
    ObjectNode line = Json.mapper().createObjectNode().put("call", call);
    if (problem != null || decision == null) {
      return line.put("allow", false).put("message", "The decision is missing: " + problem);
    }
    return switch (decision) {
      case ToolDecision.Allow allow -> line.put("allow", true);
      case ToolDecision.Deny(String message) -> line.put("allow", false).put("message", message);
    };
  }

  @Override
  protected AgentEnd end(int exit, String errors) {
    return new AgentEnd(
        AgentEnd.Kind.FAILED,
        "",
        exit,
        ("the loop ended without a result, exit code " + exit + ": " + errors).strip());
  }

  /** A kill: the loop writes nothing about a call that is stopped. */
  @Override
  protected void requestStop() {
    process().kill();
  }
}
