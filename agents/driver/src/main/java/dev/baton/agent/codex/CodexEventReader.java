/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.codex;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.AgentEvent;
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

/** Translates notifications of Codex to events. Not thread-safe. */
final class CodexEventReader {
  private static final Set<String> SILENT =
      Set.of(
          "turn/started",
          "turn/diff/updated",
          "thread/status/changed",
          "thread/settings/updated",
          "thread/name/updated",
          "thread/goal/cleared",
          "thread/goal/updated",
          "thread/environment/connected",
          "thread/readState/changed",
          "thread/queue/changed",
          "thread/compacted",
          "account/rateLimits/updated",
          "account/updated",
          "remoteControl/status/changed",
          "serverRequest/resolved",
          "skills/changed",
          "app/list/updated",
          "mcpServer/startupStatus/updated",
          "model/rerouted",
          "item/plan/delta",
          "item/agentMessage/delta",
          "item/reasoning/summaryTextDelta",
          "item/reasoning/summaryPartAdded",
          "item/reasoning/textDelta",
          "item/commandExecution/outputDelta",
          "item/commandExecution/terminalInteraction",
          "item/fileChange/outputDelta",
          "item/fileChange/patchUpdated",
          "item/mcpToolCall/progress",
          "hook/completed");

  private static final int MOST_UNSEEN = 10_000;

  private final Consumer<AgentEvent> out;
  private final PendingToolCalls calls = new PendingToolCalls();
  private final Set<String> subAgents = new HashSet<>();

  /** Threads of the calls that a hook has reported and no item yet. */
  private final Map<String, String> unseen = new LinkedHashMap<>();

  private String main = "";
  private String lastText = "";

  CodexEventReader(Consumer<AgentEvent> out) {
    this.out = out;
  }

  /** Names the main thread; items of others belong to sub-agents. */
  void main(String thread) {
    main = thread;
  }

  PendingToolCalls.@Nullable PendingCall call(String item) {
    return calls.find(item);
  }

  /**
   * @return false for a method that is not known
   */
  boolean notified(String method, JsonNode params) {
    String thread = params.path("threadId").asText();
    switch (method) {
      case "item/started" -> begun(params.path("item"), parent(thread));
      case "item/completed" -> ended(params.path("item"), parent(thread));
      case "turn/plan/updated" -> plan(params.path("plan"));
      case "thread/tokenUsage/updated" -> usage(thread, params.path("tokenUsage").path("total"));
      case "thread/started" -> subAgent(params.path("thread"));
      case "thread/closed" -> {
        if (subAgents.remove(thread)) {
          out.accept(new AgentEvent.SubAgentEnded(thread, AgentEvent.ToolOutcome.OK));
        }
      }
      case "warning", "configWarning", "deprecationNotice", "guardianWarning" ->
          out.accept(
              new AgentEvent.Notice(
                  params.path("message").asText(params.path("summary").asText())));
      default -> {
        return SILENT.contains(method);
      }
    }
    return true;
  }

  /** Returns the parent of a thread's events; empty for the main thread. */
  String parent(String thread) {
    return thread.equals(main) ? "" : thread;
  }

  private void subAgent(JsonNode thread) {
    String id = thread.path("id").asText();
    String parent = thread.path("parentThreadId").asText("");
    if (!parent.isEmpty() && subAgents.size() < 1_000 && subAgents.add(id)) {
      out.accept(
          new AgentEvent.SubAgentStarted(
              id,
              parent(parent),
              thread.path("agentNickname").asText("agent"),
              TextShortener.shorten(thread.path("preview").asText(), ToolInput.SHORT)));
    }
  }

  /** A call is about to begin, as its hook reports. */
  void began(String id, String tool, ToolInput input, String thread) {
    if (unseen.size() < MOST_UNSEEN && calls.find(id) == null) {
      unseen.put(id, thread);
    }
    begin(id, tool, input, parent(thread));
  }

  /** Ends the calls of a thread that have no items, such as those that update a plan. */
  void endUnseen(String thread) {
    for (Map.Entry<String, String> call : List.copyOf(unseen.entrySet())) {
      if (call.getValue().equals(thread)) {
        unseen.remove(call.getKey());
        PendingToolCalls.PendingCall ended = calls.end(call.getKey());
        if (ended != null) {
          out.accept(
              new AgentEvent.ToolEnded(
                  call.getKey(), ended.tool(), AgentEvent.ToolOutcome.OK, List.of(), 0));
        }
      }
    }
  }

  private void begun(JsonNode item, String parent) {
    String tool = tool(item);
    if (tool == null) {
      return;
    }
    String id = item.path("id").asText();
    ToolInput input = input(item);
    if (unseen.remove(id) != null) {
      // Rules match the input of the item.
      calls.end(id);
      calls.begin(id, tool, input, parent);
      return;
    }
    begin(id, tool, input, parent);
  }

  private void begin(String id, String tool, ToolInput input, String parent) {
    if (calls.begin(id, tool, input, parent)) {
      out.accept(
          new AgentEvent.ToolBegun(id, tool, input.digest(), input.text(ToolInput.SHORT), parent));
    }
  }

  private void ended(JsonNode item, String parent) {
    switch (item.path("type").asText()) {
      case "agentMessage" -> {
        String text = item.path("text").asText();
        if (parent.isEmpty()) {
          lastText = text;
        }
        out.accept(
            new AgentEvent.AssistantText(
                TextShortener.shorten(text, AgentEvent.MOST_TEXT), parent));
      }
      case "contextCompaction" -> out.accept(new AgentEvent.Compacted("auto", 0));
      default -> toolEnded(item, parent);
    }
  }

  private void toolEnded(JsonNode item, String parent) {
    String tool = tool(item);
    if (tool == null) {
      return;
    }
    begun(item, parent);
    String id = item.path("id").asText();
    if (calls.end(id) != null) {
      out.accept(
          new AgentEvent.ToolEnded(
              id,
              tool,
              outcome(item),
              files(item),
              item.path("aggregatedOutput").asText("").length()));
    }
  }

  private static @Nullable String tool(JsonNode item) {
    return switch (item.path("type").asText()) {
      case "commandExecution" -> "shell";
      case "fileChange" -> "apply_patch";
      case "mcpToolCall" ->
          "mcp__" + item.path("server").asText() + "__" + item.path("tool").asText();
      case "dynamicToolCall" -> item.path("tool").asText();
      case "collabAgentToolCall" -> "agent_" + item.path("tool").asText();
      case "webSearch" -> "web_search";
      case "imageView" -> "view_image";
      default -> null;
    };
  }

  private static ToolInput input(JsonNode item) {
    ObjectNode input = Json.mapper().createObjectNode();
    switch (item.path("type").asText()) {
      case "commandExecution" -> {
        JsonNode actions = item.path("commandActions");
        String inner = actions.size() == 1 ? actions.path(0).path("command").asText("") : "";
        input.put("command", inner.isEmpty() ? item.path("command").asText() : inner);
      }
      case "fileChange" -> {
        input.put("path", String.join(" ", files(item)));
        input.set("changes", item.path("changes"));
      }
      case "webSearch" -> input.put("query", item.path("query").asText());
      case "imageView" -> input.put("path", item.path("path").asText());
      case "collabAgentToolCall" -> input.put("prompt", item.path("prompt").asText(""));
      default -> {
        return new ToolInput(item.path("arguments"));
      }
    }
    return new ToolInput(input);
  }

  private static List<String> files(JsonNode item) {
    List<String> files = new ArrayList<>();
    if (item.path("type").asText().equals("fileChange")) {
      item.path("changes").forEach(change -> files.add(change.path("path").asText()));
    }
    return files;
  }

  private static AgentEvent.ToolOutcome outcome(JsonNode item) {
    return switch (item.path("status").asText("completed")) {
      case "completed" -> AgentEvent.ToolOutcome.OK;
      case "declined" -> AgentEvent.ToolOutcome.DENIED;
      case "interrupted", "inProgress" -> AgentEvent.ToolOutcome.INTERRUPTED;
      default -> AgentEvent.ToolOutcome.FAILED;
    };
  }

  private void plan(JsonNode steps) {
    List<AgentEvent.PlanItem> items = new ArrayList<>();
    for (JsonNode step : steps) {
      String status = step.path("status").asText("pending");
      items.add(
          new AgentEvent.PlanItem(
              TextShortener.shorten(step.path("step").asText(), ToolInput.SHORT),
              status.equals("inProgress") ? "in_progress" : status));
    }
    out.accept(new AgentEvent.PlanUpdated(items));
  }

  private void usage(String thread, JsonNode total) {
    if (thread.equals(main)) {
      out.accept(
          new AgentEvent.UsageReported(
              total.path("inputTokens").asLong(0),
              total.path("outputTokens").asLong(0),
              total.path("cachedInputTokens").asLong(0),
              -1));
    }
  }

  /** The text with which a turn has ended. */
  String finalText(JsonNode turn) {
    String text = "";
    for (JsonNode item : turn.path("items")) {
      if (item.path("type").asText().equals("agentMessage")) {
        text = item.path("text").asText();
      }
    }
    return text.isEmpty() ? lastText : text;
  }

  /** The status of the endpoint in an error; 0 where there is none. */
  static int status(JsonNode error) {
    for (JsonNode info : error.path("codexErrorInfo")) {
      if (info.has("httpStatusCode")) {
        return info.path("httpStatusCode").asInt(0);
      }
    }
    return 0;
  }
}
