/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.codex;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Translates rows of a rollout to the notifications of an app server, and so to events. Not
 * thread-safe.
 */
final class CodexRolloutEventReader {
  private static final Set<String> SHELLS = Set.of("exec_command", "shell", "shell_command");
  private static final int MAX_ABORTED = 1_000;

  private final CodexEventReader events;

  /** Calls that have ended before their item, which may still come. */
  private final Set<String> aborted = new HashSet<>();

  private String answer = "";

  CodexRolloutEventReader(CodexEventReader events) {
    this.events = events;
  }

  /** The newest text of the agent; empty before the first. */
  String answer() {
    return answer;
  }

  /** Reads a row; those without an event are skipped. */
  void row(JsonNode row) {
    JsonNode payload = row.path("payload");
    switch (row.path("type").asText() + "/" + payload.path("type").asText()) {
      case "response_item/function_call" -> called(payload);
      case "response_item/function_call_output" -> answered(payload);
      case "event_msg/item_completed" -> {
        if (payload.path("item") instanceof ObjectNode item) {
          completed(item.deepCopy());
        }
      }
      case "event_msg/token_count" -> used(payload.path("info").path("total_token_usage"));
      case "event_msg/warning", "event_msg/error" ->
          events.notified("warning", object().put("message", payload.path("message").asText()));
      default -> {
        // Settings, reasoning and what the model gets besides.
      }
    }
  }

  /** A command has begun. Other calls are in one row, at their end. */
  private void called(JsonNode payload) {
    if (!SHELLS.contains(payload.path("name").asText())) {
      return;
    }
    JsonNode arguments;
    try {
      arguments = Json.mapper().readTree(payload.path("arguments").asText());
    } catch (JsonProcessingException e) {
      return; // The model gets the reason as the result, and no command begins.
    }
    String command = text(arguments.path(arguments.has("cmd") ? "cmd" : "command"));
    if (!command.startsWith("apply_patch")) {
      notified(
          "item/started",
          object()
              .put("type", "commandExecution")
              .put("id", payload.path("call_id").asText())
              .put("command", command));
    }
  }

  /** A person has stopped the turn, so that the call has a result but no end. */
  private void answered(JsonNode payload) {
    String call = payload.path("call_id").asText();
    if (events.call(call) != null
        && payload.path("output").asText().strip().endsWith("aborted by user")
        && aborted.size() < MAX_ABORTED
        && aborted.add(call)) {
      notified(
          "item/completed",
          object().put("type", "commandExecution").put("id", call).put("status", "interrupted"));
    }
  }

  private void completed(ObjectNode item) {
    if (aborted.contains(item.path("id").asText())) {
      return;
    }
    String type = item.path("type").asText();
    item.put(
        "type",
        type.substring(0, Math.min(1, type.length())).toLowerCase(Locale.ROOT)
            + type.substring(Math.min(1, type.length())));
    switch (type) {
      case "AgentMessage" -> {
        StringBuilder text = new StringBuilder();
        item.path("content").forEach(part -> text.append(part.path("text").asText()));
        answer = text.isEmpty() ? answer : text.toString();
        item.put("text", text.toString());
      }
      case "CommandExecution" -> {
        item.put("command", text(item.path("command")));
        item.put("aggregatedOutput", item.path("aggregated_output").asText());
      }
      case "FileChange" -> {
        ArrayNode changes = Json.mapper().createArrayNode();
        item.path("changes")
            .properties()
            .forEach(change -> changes.addObject().put("path", change.getKey()));
        item.set("changes", changes);
      }
      default -> {
        // Its fields have the same names.
      }
    }
    notified("item/completed", item);
  }

  private void used(JsonNode total) {
    ObjectNode usage = object();
    usage
        .putObject("tokenUsage")
        .putObject("total")
        .put("inputTokens", total.path("input_tokens").asLong(0))
        .put("outputTokens", total.path("output_tokens").asLong(0))
        .put("cachedInputTokens", total.path("cached_input_tokens").asLong(0));
    events.notified("thread/tokenUsage/updated", usage);
  }

  /** A command, of which an array has the words; a script is the last one. */
  private static String text(JsonNode command) {
    return command.isArray() && !command.isEmpty()
        ? command.path(command.size() - 1).asText()
        : command.asText();
  }

  private void notified(String method, ObjectNode item) {
    ObjectNode params = object();
    params.set("item", item);
    events.notified(method, params);
  }

  private static ObjectNode object() {
    return Json.mapper().createObjectNode();
  }
}
