/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.opencode;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentEvent.ToolOutcome;
import dev.baton.agent.process.PendingToolCalls;
import dev.baton.agent.process.ToolInput;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Translates events of OpenCode's server. Each session other than the main one is a sub-agent. Not
 * thread-safe.
 */
final class OpenCodeEventReader {
  /** Events that say nothing about the work, or nothing that another one does not say. */
  private static final Set<String> SILENT =
      Set.of(
          "message.part.delta",
          "message.part.removed",
          "message.removed",
          "permission.replied",
          "session.deleted",
          "session.diff",
          "session.updated",
          "command.executed",
          "server.connected",
          "server.heartbeat",
          "server.instance.disposed",
          "mcp.tools.changed");

  private static final List<String> SILENT_PREFIXES =
      List.of(
          "catalog.",
          "file.",
          "installation.",
          "integration.",
          "lsp.",
          "models-dev.",
          "plugin.",
          "project.",
          "pty.",
          "reference.",
          "tui.",
          "vcs.");

  private static final int MOST_REMEMBERED = 10_000;

  private final Consumer<AgentEvent> out;
  private final PendingToolCalls calls = new PendingToolCalls();
  private final Map<String, Boolean> answers = remembered();
  private final Map<String, Boolean> parts = remembered();
  private final Map<String, String> subAgents = remembered();
  private String main = "";
  private String finalMessage = "";
  private String finalText = "";
  private long input;
  private long output;
  private long cached;

  OpenCodeEventReader(Consumer<AgentEvent> out) {
    this.out = out;
  }

  private static <V> Map<String, V> remembered() {
    return new LinkedHashMap<>() {
      private static final long serialVersionUID = 1L;

      @Override
      protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
        return size() > MOST_REMEMBERED;
      }
    };
  }

  /** Names the main session. */
  void main(String session) {
    main = session;
  }

  boolean isMain(JsonNode properties) {
    return properties.path("sessionID").asText().equals(main);
  }

  /** A call that has begun and not ended; null for another. */
  PendingToolCalls.@Nullable PendingCall call(String id) {
    return calls.find(id);
  }

  /** The text of the newest answer of the main session; its JSON where a schema was given. */
  String finalText() {
    return finalText;
  }

  /**
   * Translates an event.
   *
   * @return false for a type that is not known
   */
  boolean happened(String type, JsonNode properties) {
    switch (type) {
      case "session.created" -> created(properties.path("info"));
      case "session.idle" -> ended(properties.path("sessionID").asText(), ToolOutcome.OK);
      case "session.error" -> ended(properties.path("sessionID").asText(), ToolOutcome.FAILED);
      case "session.status" -> status(properties.path("status"));
      case "session.compacted" -> out.accept(new AgentEvent.Compacted("auto", 0));
      case "message.updated" -> message(properties.path("info"));
      case "message.part.updated" -> part(properties.path("part"));
      case "todo.updated" -> {
        if (isMain(properties)) {
          plan(properties.path("todos"));
        }
      }
      default -> {
        return SILENT.contains(type) || SILENT_PREFIXES.stream().anyMatch(type::startsWith);
      }
    }
    return true;
  }

  private String parent(String session) {
    return session.equals(main) ? "" : session;
  }

  private void created(JsonNode info) {
    String parent = info.path("parentID").asText("");
    String id = info.path("id").asText();
    if (!parent.isEmpty() && subAgents.putIfAbsent(id, parent) == null) {
      out.accept(
          new AgentEvent.SubAgentStarted(
              id,
              parent(parent),
              info.path("agent").asText("agent"),
              TextShortener.shorten(info.path("title").asText(), ToolInput.SHORT)));
    }
  }

  private void ended(String session, ToolOutcome outcome) {
    if (subAgents.remove(session) != null) {
      out.accept(new AgentEvent.SubAgentEnded(session, outcome));
    }
  }

  private void status(JsonNode status) {
    if (status.path("type").asText().equals("retry")) {
      out.accept(
          new AgentEvent.Notice(
              "request of the model: failed; attempt %d follows: %s"
                  .formatted(status.path("attempt").asInt(0), status.path("message").asText())));
    }
  }

  private void message(JsonNode info) {
    if (!info.path("role").asText().equals("assistant")) {
      return;
    }
    answers.put(info.path("id").asText(), true);
    if (isMain(info) && info.hasNonNull("structured")) {
      finalMessage = info.path("id").asText();
      finalText = info.path("structured").toString();
    }
  }

  private void part(JsonNode part) {
    switch (part.path("type").asText()) {
      case "tool" -> tool(part);
      case "text" -> text(part);
      case "step-finish" -> usage(part);
      default -> {
        // Parts of prompts, reasoning, and marks of steps.
      }
    }
  }

  private void text(JsonNode part) {
    String message = part.path("messageID").asText();
    String text = part.path("text").asText();
    if (!answers.containsKey(message)
        || !part.path("time").has("end")
        || text.isBlank()
        || parts.putIfAbsent(part.path("id").asText(), true) != null) {
      return;
    }
    if (isMain(part)) {
      finalText = message.equals(finalMessage) ? finalText + "\n" + text : text;
      finalMessage = message;
    }
    out.accept(
        new AgentEvent.AssistantText(
            TextShortener.shorten(text, AgentEvent.MOST_TEXT),
            parent(part.path("sessionID").asText())));
  }

  private void usage(JsonNode part) {
    if (parts.putIfAbsent(part.path("id").asText(), true) != null) {
      return;
    }
    JsonNode tokens = part.path("tokens");
    input += tokens.path("input").asLong(0);
    output += tokens.path("output").asLong(0);
    cached += tokens.path("cache").path("read").asLong(0);
    out.accept(new AgentEvent.UsageReported(input, output, cached, -1));
  }

  /** A call is about to begin: its event may come later than the driver's plugin reports it. */
  void began(String id, String tool, ToolInput toolInput, String session) {
    String parent = parent(session);
    if (calls.begin(id, tool, toolInput, parent)) {
      out.accept(
          new AgentEvent.ToolBegun(
              id, tool, toolInput.digest(), toolInput.text(ToolInput.SHORT), parent));
    }
  }

  private void tool(JsonNode part) {
    String id = part.path("callID").asText();
    JsonNode state = part.path("state");
    String status = state.path("status").asText();
    boolean ends = status.equals("completed") || status.equals("error");
    if (!ends && !status.equals("running")) {
      return; // Its input is not complete.
    }
    String key = part.path("id").asText();
    if (parts.containsKey(key)) {
      return;
    }
    String name = name(part);
    ToolInput toolInput =
        new ToolInput(
            state.path("input").isObject()
                ? state.path("input")
                : Json.mapper().createObjectNode());
    began(id, name, toolInput, part.path("sessionID").asText());
    if (ends) {
      parts.put(key, true);
      calls.end(id);
      out.accept(
          new AgentEvent.ToolEnded(
              id, name, outcome(part), files(state), state.path("output").asText("").length()));
    }
  }

  /** A call of a tool that does not exist becomes one of {@code invalid}, with the name in it. */
  static String name(JsonNode part) {
    String tool = part.path("tool").asText();
    return tool.equals("invalid")
        ? part.path("state").path("input").path("tool").asText(tool)
        : tool;
  }

  private static ToolOutcome outcome(JsonNode part) {
    JsonNode state = part.path("state");
    if (state.path("status").asText().equals("completed")) {
      boolean failed =
          state.path("metadata").path("exit").asInt(0) != 0
              || part.path("tool").asText().equals("invalid");
      return failed ? ToolOutcome.FAILED : ToolOutcome.OK;
    }
    String error = state.path("error").asText();
    if (error.startsWith("The user rejected permission")
        || error.startsWith("The user has specified a rule")) {
      return ToolOutcome.DENIED;
    }
    return error.startsWith("Tool execution aborted")
            || error.startsWith("[Tool execution was interrupted]")
        ? ToolOutcome.INTERRUPTED
        : ToolOutcome.FAILED;
  }

  private static List<String> files(JsonNode state) {
    List<String> files = new ArrayList<>();
    JsonNode metadata = state.path("metadata");
    metadata.path("files").forEach(file -> add(files, file.path("filePath")));
    add(files, metadata.path("filediff").path("file"));
    if (metadata.has("filepath") && metadata.has("exists")) {
      add(files, metadata.path("filepath"));
    }
    return files;
  }

  private static void add(List<String> files, JsonNode file) {
    if (file.isTextual() && !files.contains(file.textValue())) {
      files.add(file.textValue());
    }
  }

  private void plan(JsonNode todos) {
    List<AgentEvent.PlanItem> items = new ArrayList<>();
    for (JsonNode todo : todos) {
      String status = todo.path("status").asText("pending");
      if (!status.equals("cancelled")) {
        items.add(
            new AgentEvent.PlanItem(
                TextShortener.shorten(todo.path("content").asText(), ToolInput.SHORT), status));
      }
    }
    out.accept(new AgentEvent.PlanUpdated(items));
  }
}
