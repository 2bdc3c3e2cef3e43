/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.gateway.spend.TokenUsage;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Anthropic Messages, {@code POST /v1/messages}. */
public final class MessagesForm implements WireForm {
  /** The text fields of deltas, by type of the delta; others are not joined. */
  private static final Map<String, String> TEXT_DELTAS =
      Map.of(
          "text_delta", "text", "thinking_delta", "thinking", "input_json_delta", "partial_json");

  private static final byte[] PING =
      "event: ping\ndata: {\"type\":\"ping\"}\n\n".getBytes(StandardCharsets.UTF_8);

  @Override
  public String id() {
    return "anthropic-messages";
  }

  @Override
  public String path() {
    return "/v1/messages";
  }

  @Override
  public KeyHeader keyHeader() {
    return new KeyHeader("x-api-key", "");
  }

  @Override
  public ModelRequest parse(ObjectNode body) throws InvalidRequestException {
    List<ConversationItem> items = new ArrayList<>();
    for (JsonNode message : JsonFields.array(body, "messages")) {
      String role = JsonFields.string(message, "role");
      if (role.equals("system")) {
        continue;
      }
      JsonNode content = message.path("content");
      if (content.isTextual()) {
        items.add(ConversationItem.text(role, content.textValue()));
      } else if (content.isArray()) {
        content.forEach(block -> add(items, role, block));
      } else {
        throw new InvalidRequestException("messages: a content is neither a text nor a list");
      }
    }
    List<String> tools = new ArrayList<>();
    body.path("tools").forEach(tool -> tools.add(JsonFields.string(tool, "name")));
    ObjectNode format = JsonFields.newObject();
    String choice = JsonFields.string(body.path("tool_choice"), "type");
    if (choice.equals("tool") || choice.equals("any")) {
      format.set("tool_choice", body.path("tool_choice"));
    }
    for (String field : List.of("output_format", "output_config")) {
      JsonNode output =
          field.equals("output_config") ? body.path(field).path("format") : body.path(field);
      if (output.isObject()) {
        format.set(field, output);
      }
    }
    return new ModelRequest(
        JsonFields.model(body),
        JsonFields.flag(body, "stream"),
        true,
        JsonFields.bound(body, "max_tokens"),
        items,
        tools.stream().sorted().toList(),
        format.isEmpty() ? "" : JsonFields.canonical(format),
        JsonFields.canonical(body.path("system")),
        null);
  }

  private static void add(List<ConversationItem> items, String role, JsonNode block) {
    switch (JsonFields.string(block, "type")) {
      case "text" -> items.add(ConversationItem.text(role, JsonFields.string(block, "text")));
      case "tool_use" ->
          items.add(
              ConversationItem.call(
                  JsonFields.string(block, "id"),
                  JsonFields.string(block, "name"),
                  JsonFields.canonical(block.path("input"))));
      case "tool_result" ->
          items.add(
              ConversationItem.result(
                  JsonFields.string(block, "tool_use_id"), content(block.path("content"))));
      case "thinking", "redacted_thinking" -> {}
      default -> items.add(ConversationItem.other(role, JsonFields.canonical(block)));
    }
  }

  /** Content of a result: a text and a list with one text are the same. */
  private static String content(JsonNode content) {
    if (content.isTextual()) {
      return content.textValue();
    }
    StringBuilder text = new StringBuilder();
    for (JsonNode block : content) {
      text.append(
          JsonFields.string(block, "type").equals("text")
              ? JsonFields.string(block, "text")
              : JsonFields.canonical(block));
    }
    return text.toString();
  }

  @Override
  public boolean completesCall(ObjectNode data, Set<Integer> callParts) {
    String type = JsonFields.string(data, "type");
    if (type.equals("content_block_start")
        && JsonFields.string(data.path("content_block"), "type").equals("tool_use")) {
      callParts.add(data.path("index").asInt());
    }
    return type.equals("content_block_stop") && callParts.contains(data.path("index").asInt());
  }

  @Override
  public boolean isFinal(SseEvent event, @Nullable ObjectNode data) {
    String type = data == null ? "" : JsonFields.string(data, "type");
    return type.equals("message_delta") || type.equals("message_stop");
  }

  @Override
  public boolean isComplete(List<SseEvent> events) {
    return !events.isEmpty() && isLast(events.getLast());
  }

  @Override
  public boolean isLast(SseEvent event) {
    return has(event, "message_stop");
  }

  private static boolean has(SseEvent event, String type) {
    ObjectNode data = JsonFields.object(event);
    return data != null && JsonFields.string(data, "type").equals(type);
  }

  @Override
  public boolean isError(SseEvent event, @Nullable ObjectNode data) {
    return "error".equals(event.name())
        || data != null && JsonFields.string(data, "type").equals("error");
  }

  @Override
  public boolean isKeepAlive(SseEvent event) {
    return "ping".equals(event.name());
  }

  @Override
  public ObjectNode assemble(List<SseEvent> events) throws MalformedAnswerException {
    ObjectNode message = null;
    Map<Integer, ObjectNode> blocks = new java.util.TreeMap<>();
    Map<Integer, StringBuilder> inputs = new HashMap<>();
    for (SseEvent event : events) {
      ObjectNode data = JsonFields.required(event);
      String type = JsonFields.string(data, "type");
      if (type.equals("message_start")) {
        if (!(data.path("message") instanceof ObjectNode start)) {
          throw new MalformedAnswerException("message_start has no message");
        }
        message = start.deepCopy();
      } else if (message == null) {
        continue;
      } else if (type.equals("content_block_start")
          && data.path("content_block") instanceof ObjectNode block) {
        blocks.put(data.path("index").asInt(), block.deepCopy());
      } else if (type.equals("content_block_delta")) {
        int index = data.path("index").asInt();
        ObjectNode block = blocks.get(index);
        if (block == null) {
          throw new MalformedAnswerException("a delta belongs to a block that has not started");
        }
        apply(block, data.path("delta"), inputs.computeIfAbsent(index, i -> new StringBuilder()));
      } else if (type.equals("message_delta")) {
        end(message, data);
      }
    }
    if (message == null) {
      throw new MalformedAnswerException("the answer has no message_start");
    }
    for (Map.Entry<Integer, StringBuilder> input : inputs.entrySet()) {
      setInput(blocks.get(input.getKey()), input.getValue().toString());
    }
    ArrayNode content = message.putArray("content");
    blocks.values().forEach(content::add);
    return message;
  }

  private static void apply(ObjectNode block, JsonNode delta, StringBuilder input) {
    switch (JsonFields.string(delta, "type")) {
      case "text_delta" ->
          block.put("text", JsonFields.string(block, "text") + JsonFields.string(delta, "text"));
      case "thinking_delta" ->
          block.put(
              "thinking",
              JsonFields.string(block, "thinking") + JsonFields.string(delta, "thinking"));
      case "signature_delta" ->
          block.put(
              "signature",
              JsonFields.string(block, "signature") + JsonFields.string(delta, "signature"));
      case "input_json_delta" -> input.append(JsonFields.string(delta, "partial_json"));
      case "citations_delta" -> JsonFields.listOf(block, "citations").add(delta.path("citation"));
      default -> {}
    }
  }

  private static void setInput(@Nullable ObjectNode block, String json)
      throws MalformedAnswerException {
    if (block == null || json.isEmpty()) {
      return;
    }
    try {
      block.set("input", Json.mapper().readTree(json));
    } catch (JsonProcessingException e) {
      // A call that max_tokens cut off: the agent reports it to the model.
      block.put("input", json);
    }
  }

  private static void end(ObjectNode message, ObjectNode data) {
    data.properties()
        .forEach(
            field -> {
              switch (field.getKey()) {
                case "type" -> {}
                case "delta" ->
                    field
                        .getValue()
                        .properties()
                        .forEach(e -> message.set(e.getKey(), e.getValue()));
                case "usage" -> {
                  ObjectNode usage =
                      message.path("usage") instanceof ObjectNode known
                          ? known
                          : message.putObject("usage");
                  field.getValue().properties().forEach(e -> usage.set(e.getKey(), e.getValue()));
                }
                default -> message.set(field.getKey(), field.getValue());
              }
            });
  }

  @Override
  public List<SseEvent> split(ObjectNode answer) {
    List<SseEvent> events = new ArrayList<>();
    ObjectNode start = answer.deepCopy();
    start.putArray("content");
    start.putNull("stop_reason");
    start.putNull("stop_sequence");
    ObjectNode first = JsonFields.newObject().put("type", "message_start");
    first.set("message", start);
    events.add(JsonFields.event("message_start", first));
    int index = 0;
    for (JsonNode block : answer.path("content")) {
      split(block, index++, events);
    }
    ObjectNode end = JsonFields.newObject().put("type", "message_delta");
    ObjectNode delta = end.putObject("delta");
    delta.set("stop_reason", answer.path("stop_reason"));
    delta.set(
        "stop_sequence",
        answer.path("stop_sequence").isMissingNode()
            ? JsonFields.newObject().nullNode()
            : answer.path("stop_sequence"));
    end.set("usage", answer.path("usage"));
    events.add(JsonFields.event("message_delta", end));
    events.add(
        JsonFields.event("message_stop", JsonFields.newObject().put("type", "message_stop")));
    return events;
  }

  private static void split(JsonNode block, int index, List<SseEvent> events) {
    ObjectNode shell = block.deepCopy();
    List<ObjectNode> deltas = new ArrayList<>();
    switch (JsonFields.string(block, "type")) {
      case "text" -> {
        shell.put("text", "");
        deltas.add(delta("text_delta", "text", JsonFields.string(block, "text")));
      }
      case "thinking" -> {
        shell.put("thinking", "").put("signature", "");
        deltas.add(delta("thinking_delta", "thinking", JsonFields.string(block, "thinking")));
        deltas.add(delta("signature_delta", "signature", JsonFields.string(block, "signature")));
      }
      case "tool_use" -> {
        shell.putObject("input");
        JsonNode input = block.path("input");
        deltas.add(
            delta(
                "input_json_delta",
                "partial_json",
                input.isTextual() ? input.textValue() : JsonFields.text(input)));
      }
      default -> {}
    }
    ObjectNode start = indexed("content_block_start", index);
    start.set("content_block", shell);
    events.add(JsonFields.event("content_block_start", start));
    for (ObjectNode delta : deltas) {
      ObjectNode data = indexed("content_block_delta", index);
      data.set("delta", delta);
      events.add(JsonFields.event("content_block_delta", data));
    }
    events.add(JsonFields.event("content_block_stop", indexed("content_block_stop", index)));
  }

  private static ObjectNode delta(String type, String field, String value) {
    return JsonFields.newObject().put("type", type).put(field, value);
  }

  private static ObjectNode indexed(String type, int index) {
    return JsonFields.newObject().put("type", type).put("index", index);
  }

  @Override
  public List<SseEvent> compact(List<SseEvent> events) {
    return DeltaJoiner.join(events, MessagesForm::joinable, MessagesForm::withText);
  }

  private static DeltaJoiner.@Nullable Part joinable(ObjectNode data) {
    String field = TEXT_DELTAS.get(JsonFields.string(data.path("delta"), "type"));
    if (field == null
        || !JsonFields.string(data, "type").equals("content_block_delta")
        || data.size() != 3
        || data.path("delta").size() != 2) {
      return null;
    }
    return new DeltaJoiner.Part(
        data.path("index").asText() + " " + field, JsonFields.string(data.path("delta"), field));
  }

  private static void withText(ObjectNode data, String text) {
    ObjectNode delta = (ObjectNode) data.path("delta");
    String field = TEXT_DELTAS.get(JsonFields.string(delta, "type"));
    if (field != null) {
      delta.put(field, text);
    }
  }

  @Override
  public AnswerMeta meta(ObjectNode answer) throws MalformedAnswerException {
    if (!answer.path("content").isArray()) {
      throw new MalformedAnswerException("the answer has no content");
    }
    List<ToolCallRef> calls = new ArrayList<>();
    for (ObjectNode block : JsonFields.parts(answer, "content")) {
      if (JsonFields.string(block, "type").equals("tool_use")) {
        calls.add(
            new ToolCallRef(JsonFields.string(block, "id"), JsonFields.string(block, "name")));
      }
    }
    return new AnswerMeta(
        JsonFields.optional(answer, "id"),
        JsonFields.optional(answer, "model"),
        usage(answer.path("usage")),
        calls);
  }

  private static @Nullable TokenUsage usage(JsonNode usage) throws MalformedAnswerException {
    if (!usage.isObject()) {
      return null;
    }
    long written = JsonFields.count(usage, "cache_creation_input_tokens");
    long hour =
        Math.min(
            written, JsonFields.count(usage.path("cache_creation"), "ephemeral_1h_input_tokens"));
    return new TokenUsage(
        JsonFields.count(usage, "input_tokens"),
        JsonFields.count(usage, "cache_read_input_tokens"),
        written - hour,
        hour,
        JsonFields.count(usage, "output_tokens"),
        0);
  }

  @Override
  public @Nullable TokenUsage partialUsage(List<SseEvent> events) {
    try {
      return usage(assemble(events).path("usage"));
    } catch (MalformedAnswerException e) {
      return null;
    }
  }

  @Override
  public ObjectNode error(WireErrorKind kind, String message) {
    ObjectNode body = JsonFields.newObject().put("type", "error");
    body.putObject("error").put("type", kind.type()).put("message", message);
    return body;
  }

  @Override
  public SseEvent errorEvent(WireErrorKind kind, String message) {
    return JsonFields.event("error", error(kind, message));
  }

  @Override
  public byte[] keepAlive() {
    return PING.clone();
  }
}
