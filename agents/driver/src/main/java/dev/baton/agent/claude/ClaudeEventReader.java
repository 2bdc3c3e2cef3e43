/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.claude;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentStart;
import dev.baton.agent.process.PendingToolCalls;
import dev.baton.agent.process.ToolInput;
import dev.baton.protocol.json.TextShortener;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Translates lines of Claude Code to events. Not thread-safe. */
final class ClaudeEventReader {
  /** Types of lines without meaning for a run. */
  static final Set<String> IGNORED =
      Set.of(
          "stream_event",
          "tool_progress",
          "tool_use_summary",
          "transcript_mirror",
          "rate_limit_event",
          "auth_status",
          "prompt_suggestion");

  private static final Set<String> SUB_AGENT = Set.of("Task", "Agent");
  private static final Set<String> EDITS = Set.of("Write", "Edit", "MultiEdit", "NotebookEdit");
  private static final Set<String> SILENT =
      Set.of(
          "status",
          "task_started",
          "task_progress",
          "task_updated",
          "task_notification",
          "permission_denied",
          "hook_started",
          "hook_progress",
          "hook_response",
          "session_state_changed",
          "files_persisted",
          "turn_duration");

  private final Consumer<AgentEvent> out;
  private final PendingToolCalls calls = new PendingToolCalls();
  private final Map<String, AgentEvent.PlanItem> tasks = new LinkedHashMap<>();

  ClaudeEventReader(Consumer<AgentEvent> out) {
    this.out = out;
  }

  static AgentEvent.SessionStarted started(JsonNode line) {
    Map<String, String> servers = new LinkedHashMap<>();
    line.path("mcp_servers")
        .forEach(
            server -> servers.put(server.path("name").asText(), server.path("status").asText()));
    return new AgentEvent.SessionStarted(
        line.path("session_id").asText(),
        "claude",
        line.path("claude_code_version").asText(),
        line.path("model").asText(),
        servers);
  }

  /**
   * @return false for a subtype that is not known
   */
  boolean system(JsonNode line) {
    String subtype = line.path("subtype").asText();
    switch (subtype) {
      case "compact_boundary" -> {
        JsonNode meta = line.path("compact_metadata");
        out.accept(
            new AgentEvent.Compacted(
                meta.path("trigger").asText("auto"), meta.path("pre_tokens").asLong(0)));
        return true;
      }
      case "api_retry" -> {
        out.accept(
            new AgentEvent.Notice(
                "request of the model: attempt %s failed, retrying: %s"
                    .formatted(
                        line.path("attempt").asText("?"),
                        line.path("error_status").asText(line.path("error").asText()))));
        return true;
      }
      default -> {
        return SILENT.contains(subtype);
      }
    }
  }

  void assistant(JsonNode line) {
    String parent = line.path("parent_tool_use_id").asText("");
    for (JsonNode block : line.path("message").path("content")) {
      switch (block.path("type").asText()) {
        case "text" ->
            out.accept(
                new AgentEvent.AssistantText(
                    TextShortener.shorten(block.path("text").asText(), AgentEvent.MOST_TEXT),
                    parent));
        case "tool_use" -> begin(block, parent);
        default -> {
          // Thinking is not part of the trace.
        }
      }
    }
  }

  private void begin(JsonNode block, String parent) {
    String id = block.path("id").asText();
    String name = block.path("name").asText();
    ToolInput input = new ToolInput(block.path("input"));
    if (!calls.begin(id, name, input, parent)) {
      return;
    }
    out.accept(
        new AgentEvent.ToolBegun(id, name, input.digest(), input.text(ToolInput.SHORT), parent));
    if (SUB_AGENT.contains(name)) {
      out.accept(
          new AgentEvent.SubAgentStarted(
              id,
              parent,
              input.value().path("subagent_type").asText("general-purpose"),
              TextShortener.shorten(input.value().path("description").asText(), ToolInput.SHORT)));
    }
  }

  void user(JsonNode line) {
    for (JsonNode block : line.path("message").path("content")) {
      if (block.path("type").asText().equals("tool_result")) {
        ended(line, block);
      }
    }
  }

  private void ended(JsonNode line, JsonNode block) {
    String id = block.path("tool_use_id").asText();
    PendingToolCalls.PendingCall call = calls.end(id);
    if (call == null) {
      return;
    }
    AgentEvent.ToolOutcome outcome = outcome(line, block);
    out.accept(
        new AgentEvent.ToolEnded(
            id, call.tool(), outcome, files(call, line), length(block.path("content"))));
    if (SUB_AGENT.contains(call.tool())) {
      out.accept(new AgentEvent.SubAgentEnded(id, outcome));
    }
    if (outcome == AgentEvent.ToolOutcome.OK) {
      plan(call, line);
    }
  }

  private static AgentEvent.ToolOutcome outcome(JsonNode line, JsonNode block) {
    for (JsonNode meta : line.path("tool_result_meta")) {
      JsonNode decision = meta.path("permission_decision").path("decision");
      if (meta.path("id").asText().equals(block.path("tool_use_id").asText())
          && decision.asText().equals("reject")) {
        return AgentEvent.ToolOutcome.DENIED;
      }
    }
    if (line.path("tool_use_result").path("interrupted").asBoolean(false)) {
      return AgentEvent.ToolOutcome.INTERRUPTED;
    }
    return block.path("is_error").asBoolean(false)
        ? AgentEvent.ToolOutcome.FAILED
        : AgentEvent.ToolOutcome.OK;
  }

  private static List<String> files(PendingToolCalls.PendingCall call, JsonNode line) {
    if (!EDITS.contains(call.tool())) {
      return List.of();
    }
    String reported = line.path("tool_use_result").path("filePath").asText("");
    String file = reported.isEmpty() ? call.input().main() : reported;
    return file.isEmpty() ? List.of() : List.of(file);
  }

  private static long length(JsonNode content) {
    if (content.isTextual()) {
      return content.textValue().length();
    }
    long length = 0;
    for (JsonNode part : content) {
      length += part.path("text").asText().length();
    }
    return length;
  }

  private void plan(PendingToolCalls.PendingCall call, JsonNode line) {
    JsonNode input = call.input().value();
    switch (call.tool()) {
      case "TodoWrite" -> {
        List<AgentEvent.PlanItem> items = new ArrayList<>();
        input.path("todos").forEach(todo -> items.add(item(todo.path("content"), todo)));
        out.accept(new AgentEvent.PlanUpdated(items));
      }
      case "TaskCreate" -> {
        String id = line.path("tool_use_result").path("task").path("id").asText("");
        tasks.put(
            id.isEmpty() ? String.valueOf(tasks.size() + 1) : id,
            item(input.path("subject"), input));
        out.accept(new AgentEvent.PlanUpdated(List.copyOf(tasks.values())));
      }
      case "TaskUpdate" -> {
        String id = input.path("taskId").asText();
        AgentEvent.PlanItem before = tasks.get(id);
        if (input.path("status").asText().equals("deleted")) {
          tasks.remove(id);
        } else if (before != null || input.has("subject")) {
          tasks.put(
              id,
              new AgentEvent.PlanItem(
                  input.path("subject").asText(before == null ? "" : before.text()),
                  input.path("status").asText(before == null ? "pending" : before.status())));
        }
        out.accept(new AgentEvent.PlanUpdated(List.copyOf(tasks.values())));
      }
      default -> {
        // No tool of plans.
      }
    }
  }

  private static AgentEvent.PlanItem item(JsonNode text, JsonNode item) {
    return new AgentEvent.PlanItem(
        TextShortener.shorten(text.asText(), ToolInput.SHORT),
        item.path("status").asText("pending"));
  }

  static AgentEvent.UsageReported usage(JsonNode line) {
    JsonNode usage = line.path("usage");
    JsonNode cost = line.path("total_cost_usd");
    return new AgentEvent.UsageReported(
        usage.path("input_tokens").asLong(0),
        usage.path("output_tokens").asLong(0),
        usage.path("cache_read_input_tokens").asLong(0),
        cost.isNumber() ? cost.doubleValue() : -1);
  }

  static AgentEnd end(JsonNode line, AgentStart start, boolean begun) {
    String result = line.path("result").asText("");
    JsonNode structured = line.path("structured_output");
    if (!line.path("is_error").asBoolean(false)
        && line.path("subtype").asText().equals("success")) {
      return new AgentEnd(
          AgentEnd.Kind.COMPLETED, structured.isObject() ? structured.toString() : result, 0, "");
    }
    List<String> errors = new ArrayList<>();
    line.path("errors").forEach(error -> errors.add(error.asText()));
    String message =
        TextShortener.shorten(
            result.isEmpty()
                ? line.path("subtype").asText() + ": " + String.join("; ", errors)
                : result,
            ToolInput.SHORT);
    boolean asksForSession =
        start instanceof AgentStart.Resume || start instanceof AgentStart.Continue;
    AgentEnd.Kind kind;
    if (asksForSession && !begun) {
      kind = AgentEnd.Kind.SESSION_REFUSED;
    } else if (line.path("api_error_status").asInt(0) == 402
        || message.contains("API Error: 402")) {
      kind = AgentEnd.Kind.BUDGET;
    } else {
      kind = AgentEnd.Kind.FAILED;
    }
    return new AgentEnd(kind, "", 1, message);
  }
}
