/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.acp;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentEvent.ToolOutcome;
import dev.baton.agent.process.PendingToolCalls;
import dev.baton.agent.process.ToolInput;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Translates {@code session/update} to events. Agents send the input of a call in pieces: a call
 * begins when another update follows, at the latest when it ends. Names, sub-agents and parents are
 * read where claude-agent-acp puts them. Not thread-safe.
 */
final class AcpEventReader {
  private static final Set<String> SILENT =
      Set.of(
          "agent_thought_chunk",
          "available_commands_update",
          "config_option_update",
          "current_mode_update",
          "session_info_update",
          "usage_update",
          "user_message_chunk");

  private static final int MOST_CALLS = 1_000;
  private static final int MOST_FINAL_TEXT = 1 << 20;

  private final Consumer<AgentEvent> out;
  private final PendingToolCalls calls = new PendingToolCalls();
  private final Map<String, AnnouncedCall> announced = new LinkedHashMap<>();
  private final Set<String> denied = new HashSet<>();
  private final Set<String> subAgents = new HashSet<>();
  private final StringBuilder text = new StringBuilder();
  private String textMessage = "";
  private String textParent = "";
  private String finalText = "";

  /** A call whose input may not be complete. */
  private record AnnouncedCall(String name, JsonNode input, String parent) {}

  AcpEventReader(Consumer<AgentEvent> out) {
    this.out = out;
  }

  /** The text of the main agent after its last call. */
  String finalText() {
    return finalText;
  }

  /** A call that has begun and not ended; null for another. */
  PendingToolCalls.@Nullable PendingCall call(String id) {
    return calls.find(id);
  }

  /** The rules or a person have denied a call. */
  void denied(String id) {
    if (denied.size() < MOST_CALLS) {
      denied.add(id);
    }
  }

  /** A call waits for a permission: its input is complete. */
  void asked(JsonNode call) {
    endText();
    announce(call);
    beginAll("");
  }

  /** Reports what is held back: texts and calls whose end may be missing. */
  void flush() {
    endText();
    beginAll("");
  }

  /**
   * Translates an update.
   *
   * @return false for a kind that is not known
   */
  boolean updated(JsonNode update) {
    String kind = update.path("sessionUpdate").asText();
    switch (kind) {
      case "agent_message_chunk" -> chunk(update);
      case "tool_call", "tool_call_update" -> toolCall(update);
      case "plan" -> {
        flush();
        if (parent(update).isEmpty()) {
          plan(update.path("entries"));
        }
      }
      default -> {
        beginAll("");
        return SILENT.contains(kind);
      }
    }
    return true;
  }

  private void chunk(JsonNode update) {
    beginAll("");
    JsonNode content = update.path("content");
    if (!content.path("type").asText().equals("text")) {
      return;
    }
    String message = update.path("messageId").asText("");
    String parent = parent(update);
    if (!message.equals(textMessage) || !parent.equals(textParent)) {
      endText();
    }
    textMessage = message;
    textParent = parent;
    if (text.length() < MOST_FINAL_TEXT) {
      text.append(content.path("text").asText());
    }
  }

  private void endText() {
    if (text.isEmpty()) {
      return;
    }
    String whole = text.toString();
    text.setLength(0);
    if (textParent.isEmpty()) {
      finalText = whole;
    }
    out.accept(
        new AgentEvent.AssistantText(
            TextShortener.shorten(whole, AgentEvent.MOST_TEXT), textParent));
  }

  private static String parent(JsonNode update) {
    return update.path("_meta").path("claudeCode").path("parentToolUseId").asText("");
  }

  /** The name of a tool: its own where the agent gives one, else the kind of call. */
  static String name(JsonNode call) {
    String name =
        call.path("name").asText(call.path("_meta").path("claudeCode").path("toolName").asText(""));
    if (!name.isEmpty()) {
      return name;
    }
    String title = call.path("title").asText("");
    return title.matches("[A-Za-z0-9_.-]{1,100}") ? title : call.path("kind").asText("other");
  }

  private void toolCall(JsonNode update) {
    endText();
    String id = update.path("toolCallId").asText();
    beginAll(id);
    announce(update);
    String status = update.path("status").asText("");
    boolean ends = status.equals("completed") || status.equals("failed");
    if (ends || status.equals("in_progress")) {
      begin(id);
    }
    if (ends) {
      end(id, status, update);
    }
  }

  private void announce(JsonNode update) {
    String id = update.path("toolCallId").asText();
    if (calls.find(id) != null) {
      return;
    }
    AnnouncedCall before = announced.get(id);
    JsonNode input = update.path("rawInput");
    if (before == null) {
      if (update.path("sessionUpdate").asText("").equals("tool_call_update")) {
        return; // It has ended before, or was never announced.
      }
      announced.put(
          id,
          new AnnouncedCall(
              name(update),
              input.isObject() ? input : Json.mapper().createObjectNode(),
              parent(update)));
      if (announced.size() > MOST_CALLS) {
        begin(announced.keySet().iterator().next());
      }
    } else if (input.isObject()) {
      announced.put(id, new AnnouncedCall(before.name(), input, before.parent()));
    }
  }

  private void beginAll(String but) {
    for (String id : List.copyOf(announced.keySet())) {
      if (!id.equals(but)) {
        begin(id);
      }
    }
  }

  private void begin(String id) {
    AnnouncedCall call = announced.remove(id);
    if (call == null) {
      return;
    }
    ToolInput input = new ToolInput(call.input());
    if (!calls.begin(id, call.name(), input, call.parent())) {
      return;
    }
    out.accept(
        new AgentEvent.ToolBegun(
            id, call.name(), input.digest(), input.text(ToolInput.SHORT), call.parent()));
    if (call.input().has("subagent_type") && subAgents.size() < MOST_CALLS && subAgents.add(id)) {
      out.accept(
          new AgentEvent.SubAgentStarted(
              id,
              call.parent(),
              call.input().path("subagent_type").asText(),
              TextShortener.shorten(call.input().path("description").asText(), ToolInput.SHORT)));
    }
  }

  private void end(String id, String status, JsonNode update) {
    PendingToolCalls.PendingCall call = calls.end(id);
    if (call == null) {
      return;
    }
    boolean wasDenied = denied.remove(id);
    ToolOutcome outcome =
        status.equals("completed")
            ? ToolOutcome.OK
            : wasDenied ? ToolOutcome.DENIED : ToolOutcome.FAILED;
    out.accept(
        new AgentEvent.ToolEnded(id, call.tool(), outcome, files(update, call), length(update)));
    if (subAgents.remove(id)) {
      out.accept(new AgentEvent.SubAgentEnded(id, outcome));
    }
  }

  private static List<String> files(JsonNode update, PendingToolCalls.PendingCall call) {
    List<String> files = new ArrayList<>();
    for (JsonNode content : update.path("content")) {
      if (content.path("type").asText().equals("diff")) {
        files.add(content.path("path").asText());
      }
    }
    String written = call.input().value().path("file_path").asText("");
    if (files.isEmpty() && !written.isEmpty() && Set.of("Write", "Edit").contains(call.tool())) {
      files.add(written);
    }
    return files;
  }

  private static long length(JsonNode update) {
    JsonNode raw = update.path("rawOutput");
    if (raw.isTextual()) {
      return raw.textValue().length();
    }
    long length = 0;
    for (JsonNode content : update.path("content")) {
      length += content.path("content").path("text").asText("").length();
    }
    return length;
  }

  private void plan(JsonNode entries) {
    List<AgentEvent.PlanItem> items = new ArrayList<>();
    for (JsonNode entry : entries) {
      items.add(
          new AgentEvent.PlanItem(
              TextShortener.shorten(entry.path("content").asText(), ToolInput.SHORT),
              entry.path("status").asText("pending")));
    }
    out.accept(new AgentEvent.PlanUpdated(items));
  }
}
