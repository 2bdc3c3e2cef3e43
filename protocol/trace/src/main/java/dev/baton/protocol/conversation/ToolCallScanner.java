/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.conversation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Finds tool calls and their results in messages of all forms. */
final class ToolCallScanner {
  private static final List<String> PATHS =
      List.of("file_path", "filePath", "path", "notebook_path");
  private static final List<String> FILE_TOOLS = List.of("read", "view", "write", "edit");
  private static final List<String> PLANS = List.of("todos", "plan", "steps");

  private final Map<String, Call> calls = new LinkedHashMap<>();
  private final Map<String, JsonNode> results = new LinkedHashMap<>();
  private final Set<String> files = new LinkedHashSet<>();
  private ArrayNode todos = Json.mapper().createArrayNode();

  /** A call of a tool. */
  record Call(String id, String name, JsonNode input) {
    ObjectNode json() {
      ObjectNode json = Json.mapper().createObjectNode().put("id", id).put("name", name);
      json.set("input", input);
      return json;
    }
  }

  void scan(JsonNode message) {
    blockOf(message);
    message.path("tool_calls").forEach(this::chatCall);
    if (message.path("role").asText().equals("tool")) {
      results.put(message.path("tool_call_id").asText(), message.path("content"));
    }
    message.path("content").forEach(this::blockOf);
  }

  private void blockOf(JsonNode block) {
    switch (block.path("type").asText()) {
      case "tool_use" ->
          call(block.path("id").asText(), block.path("name").asText(), block.path("input"));
      case "tool_result" -> results.put(block.path("tool_use_id").asText(), block.path("content"));
      case "function_call" ->
          call(
              block.path("call_id").asText(),
              block.path("name").asText(),
              parsed(block.path("arguments")));
      case "custom_tool_call" ->
          call(block.path("call_id").asText(), block.path("name").asText(), block.path("input"));
      case "function_call_output", "custom_tool_call_output" ->
          results.put(block.path("call_id").asText(), block.path("output"));
      default -> {
        // Text, images, reasoning.
      }
    }
  }

  private void chatCall(JsonNode call) {
    JsonNode function = call.path("function");
    call(
        call.path("id").asText(),
        function.path("name").asText(),
        parsed(function.path("arguments")));
  }

  private static JsonNode parsed(JsonNode arguments) {
    try {
      return arguments.isTextual() ? Json.mapper().readTree(arguments.textValue()) : arguments;
    } catch (JsonProcessingException e) {
      return arguments; // As the model wrote it: the agent has reported it to the model.
    }
  }

  private void call(String id, String name, JsonNode input) {
    calls.put(id, new Call(id, name, input));
    String tool = name.toLowerCase(Locale.ROOT);
    for (String path : PATHS) {
      if (input.path(path).isTextual() && FILE_TOOLS.stream().anyMatch(tool::contains)) {
        files.add(input.path(path).textValue());
      }
    }
    for (String plan : PLANS) {
      if (input.path(plan) instanceof ArrayNode items) {
        todos = items;
      }
    }
  }

  /** Calls without a result. */
  List<Call> pending() {
    return calls.values().stream().filter(call -> !results.containsKey(call.id())).toList();
  }

  Map<String, JsonNode> results() {
    return Collections.unmodifiableMap(results);
  }

  /** Names of the tools that were called, each once. */
  List<String> tools() {
    return calls.values().stream().map(Call::name).distinct().toList();
  }

  /** Files that were read or written by tools for files. */
  Set<String> files() {
    return Collections.unmodifiableSet(files);
  }

  /** The newest list of tasks; empty for none. */
  ArrayNode todos() {
    return todos;
  }
}
