/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.gateway.spend.TokenUsage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** OpenAI Responses, {@code POST /v1/responses} or {@code <base>/responses}. */
public final class ResponsesForm implements WireForm {
  private static final Set<String> ENDS =
      Set.of("response.completed", "response.incomplete", "response.failed");
  private static final byte[] KEEP_ALIVE =
      "event: keepalive\ndata: {\"type\":\"keepalive\"}\n\n".getBytes(StandardCharsets.UTF_8);

  @Override
  public String id() {
    return "openai-responses";
  }

  @Override
  public String path() {
    return "/v1/responses";
  }

  @Override
  public KeyHeader keyHeader() {
    return new KeyHeader("authorization", "Bearer ");
  }

  @Override
  public ModelRequest parse(ObjectNode body) throws InvalidRequestException {
    List<ConversationItem> items = new ArrayList<>();
    JsonNode input = body.path("input");
    if (input.isTextual()) {
      items.add(ConversationItem.text("user", input.textValue()));
    } else {
      JsonFields.array(body, "input").forEach(item -> add(items, item));
    }
    String previous = JsonFields.optional(body, "previous_response_id");
    if (previous != null) {
      items.addFirst(ConversationItem.other("user", "previous " + previous));
    }
    List<String> tools = new ArrayList<>();
    body.path("tools")
        .forEach(
            tool ->
                tools.add(
                    tool.has("name")
                        ? JsonFields.string(tool, "name")
                        : JsonFields.string(tool, "type")));
    ObjectNode format = JsonFields.newObject();
    JsonNode text = body.path("text").path("format");
    if (text.isObject() && !JsonFields.string(text, "type").equals("text")) {
      format.set("text", text);
    }
    if (body.path("tool_choice").isObject()
        || JsonFields.string(body, "tool_choice").equals("required")) {
      format.set("tool_choice", body.path("tool_choice"));
    }
    return new ModelRequest(
        JsonFields.model(body),
        JsonFields.flag(body, "stream"),
        true,
        JsonFields.bound(body, "max_output_tokens"),
        items,
        tools.stream().sorted().toList(),
        format.isEmpty() ? "" : JsonFields.canonical(format),
        JsonFields.string(body, "instructions"),
        JsonFields.optional(body, "prompt_cache_key"));
  }

  private static void add(List<ConversationItem> items, JsonNode item) {
    String type = JsonFields.string(item, "type");
    String call = JsonFields.string(item, "call_id");
    if (type.equals("message") || type.isEmpty() && item.has("role")) {
      addMessage(items, item);
    } else if (type.equals("reasoning") || type.equals("item_reference")) {
      // Agents leave reasoning out when they resume; the ids of calls distinguish answers.
      return;
    } else if (type.endsWith("_call_output") && !call.isEmpty()) {
      items.add(ConversationItem.result(call, output(item.path("output"))));
    } else if (type.endsWith("_call") && !call.isEmpty()) {
      items.add(
          ConversationItem.call(
              call,
              item.has("name") ? JsonFields.string(item, "name") : type,
              JsonFields.canonicalText(callInput(item))));
    } else {
      ObjectNode other = item.deepCopy();
      other.remove(List.of("id", "status"));
      items.add(ConversationItem.other("assistant", JsonFields.canonical(other)));
    }
  }

  private static String callInput(JsonNode item) {
    for (String field : List.of("arguments", "input")) {
      if (item.path(field).isTextual()) {
        return item.path(field).textValue();
      }
    }
    return JsonFields.canonical(item.path("action"));
  }

  private static void addMessage(List<ConversationItem> items, JsonNode message) {
    String role = JsonFields.string(message, "role");
    if (role.equals("system") || role.equals("developer")) {
      return;
    }
    JsonNode content = message.path("content");
    if (content.isTextual()) {
      items.add(ConversationItem.text(role, content.textValue()));
    }
    for (JsonNode part : content) {
      String type = JsonFields.string(part, "type");
      items.add(
          type.equals("input_text") || type.equals("output_text") || type.equals("text")
              ? ConversationItem.text(role, JsonFields.string(part, "text"))
              : ConversationItem.other(role, JsonFields.canonical(part)));
    }
  }

  private static String output(JsonNode output) {
    if (output.isTextual()) {
      return output.textValue();
    }
    StringBuilder text = new StringBuilder();
    for (JsonNode part : output) {
      text.append(part.has("text") ? JsonFields.string(part, "text") : JsonFields.canonical(part));
    }
    return text.toString();
  }

  private static boolean isCall(JsonNode item) {
    return JsonFields.string(item, "type").endsWith("_call")
        && !JsonFields.string(item, "call_id").isEmpty();
  }

  @Override
  public boolean completesCall(ObjectNode data, Set<Integer> callParts) {
    String type = JsonFields.string(data, "type");
    return type.equals("response.function_call_arguments.done")
        || type.equals("response.custom_tool_call_input.done")
        || type.equals("response.output_item.done") && isCall(data.path("item"));
  }

  @Override
  public boolean isFinal(SseEvent event, @Nullable ObjectNode data) {
    return data != null && ENDS.contains(JsonFields.string(data, "type"));
  }

  @Override
  public boolean isComplete(List<SseEvent> events) {
    return events.stream().anyMatch(this::isLast);
  }

  @Override
  public boolean isLast(SseEvent event) {
    return isFinal(event, JsonFields.object(event));
  }

  @Override
  public boolean isError(SseEvent event, @Nullable ObjectNode data) {
    String type = data == null ? "" : JsonFields.string(data, "type");
    return "error".equals(event.name()) || type.equals("error") || type.equals("response.failed");
  }

  @Override
  public boolean isKeepAlive(SseEvent event) {
    return "keepalive".equals(event.name()) || "ping".equals(event.name());
  }

  @Override
  public ObjectNode assemble(List<SseEvent> events) throws MalformedAnswerException {
    ObjectNode response = null;
    TreeMap<Integer, JsonNode> items = new TreeMap<>();
    for (SseEvent event : events) {
      if (event.data().equals("[DONE]")) {
        continue;
      }
      ObjectNode data = JsonFields.required(event);
      String type = JsonFields.string(data, "type");
      if (type.equals("response.output_item.done")) {
        items.put(data.path("output_index").asInt(items.size()), data.path("item"));
      } else if (ENDS.contains(type) && data.path("response") instanceof ObjectNode end) {
        response = end.deepCopy();
      }
    }
    if (response == null) {
      throw new MalformedAnswerException("the answer has no response.completed");
    }
    if (response.path("output").isEmpty()) {
      ArrayNode output = response.putArray("output");
      items.values().forEach(output::add);
    }
    return response;
  }

  @Override
  public List<SseEvent> split(ObjectNode answer) {
    List<SseEvent> events = new ArrayList<>();
    ObjectNode shell = answer.deepCopy();
    shell.putArray("output");
    shell.put("status", "in_progress");
    shell.putNull("usage");
    int[] number = {0};
    for (String type : List.of("response.created", "response.in_progress")) {
      ObjectNode data = numbered(type, number);
      data.set("response", shell);
      events.add(JsonFields.event(type, data));
    }
    int index = 0;
    for (JsonNode item : answer.path("output")) {
      split(item, index++, number, events);
    }
    String status = JsonFields.string(answer, "status");
    String type = status.equals("incomplete") ? "response.incomplete" : "response.completed";
    ObjectNode end = numbered(type, number);
    end.set("response", answer);
    events.add(JsonFields.event(type, end));
    return events;
  }

  private static void split(JsonNode item, int index, int[] number, List<SseEvent> events) {
    ObjectNode shell = item.deepCopy();
    if (shell.has("status")) {
      shell.put("status", "in_progress");
    }
    boolean message = JsonFields.string(item, "type").equals("message");
    if (message) {
      shell.putArray("content");
    } else if (item.path("arguments").isTextual()) {
      shell.put("arguments", "");
    } else if (item.path("input").isTextual()) {
      shell.put("input", "");
    }
    add(events, itemEvent("response.output_item.added", index, shell, number));
    String id = JsonFields.string(item, "id");
    if (message) {
      int part = 0;
      for (JsonNode content : item.path("content")) {
        splitPart(content, id, index, part++, number, events);
      }
    } else if (item.path("arguments").isTextual()) {
      add(
          events,
          part("response.function_call_arguments.delta", id, index, number)
              .put("delta", item.path("arguments").textValue()));
      add(
          events,
          part("response.function_call_arguments.done", id, index, number)
              .put("arguments", item.path("arguments").textValue()));
    } else if (item.path("input").isTextual()) {
      add(
          events,
          part("response.custom_tool_call_input.delta", id, index, number)
              .put("delta", item.path("input").textValue()));
      add(
          events,
          part("response.custom_tool_call_input.done", id, index, number)
              .put("input", item.path("input").textValue()));
    }
    add(events, itemEvent("response.output_item.done", index, item, number));
  }

  private static void splitPart(
      JsonNode content, String id, int index, int at, int[] number, List<SseEvent> events) {
    ObjectNode shell = content.deepCopy();
    boolean text = JsonFields.string(content, "type").equals("output_text");
    if (text) {
      shell.put("text", "");
    }
    ObjectNode added =
        part("response.content_part.added", id, index, number).put("content_index", at);
    added.set("part", shell);
    add(events, added);
    if (text) {
      String value = JsonFields.string(content, "text");
      add(
          events,
          part("response.output_text.delta", id, index, number)
              .put("content_index", at)
              .put("delta", value));
      add(
          events,
          part("response.output_text.done", id, index, number)
              .put("content_index", at)
              .put("text", value));
    }
    ObjectNode done =
        part("response.content_part.done", id, index, number).put("content_index", at);
    done.set("part", content);
    add(events, done);
  }

  private static void add(List<SseEvent> events, ObjectNode data) {
    events.add(JsonFields.event(JsonFields.string(data, "type"), data));
  }

  private static ObjectNode numbered(String type, int[] number) {
    return JsonFields.newObject().put("type", type).put("sequence_number", number[0]++);
  }

  private static ObjectNode part(String type, String id, int index, int[] number) {
    return numbered(type, number).put("item_id", id).put("output_index", index);
  }

  private static ObjectNode itemEvent(String type, int index, JsonNode item, int[] number) {
    ObjectNode data = numbered(type, number).put("output_index", index);
    data.set("item", item);
    return data;
  }

  @Override
  public List<SseEvent> compact(List<SseEvent> events) {
    return DeltaJoiner.join(
        events, ResponsesForm::joinable, (data, text) -> data.put("delta", text));
  }

  private static DeltaJoiner.@Nullable Part joinable(ObjectNode data) {
    if (!JsonFields.string(data, "type").endsWith(".delta") || !data.path("delta").isTextual()) {
      return null;
    }
    ObjectNode rest = data.deepCopy();
    rest.remove(List.of("delta", "sequence_number", "obfuscation"));
    if (rest.path("logprobs").isEmpty()) {
      rest.remove("logprobs");
    }
    return new DeltaJoiner.Part(JsonFields.canonical(rest), JsonFields.string(data, "delta"));
  }

  @Override
  public AnswerMeta meta(ObjectNode answer) throws MalformedAnswerException {
    if (!answer.path("output").isArray()) {
      throw new MalformedAnswerException("the answer has no output");
    }
    List<ToolCallRef> calls = new ArrayList<>();
    for (ObjectNode item : JsonFields.parts(answer, "output")) {
      if (JsonFields.string(item, "type").equals("message")) {
        JsonFields.parts(item, "content");
      }
      if (isCall(item)) {
        calls.add(
            new ToolCallRef(
                JsonFields.string(item, "call_id"),
                item.has("name")
                    ? JsonFields.string(item, "name")
                    : JsonFields.string(item, "type")));
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
    return OpenAiUsage.of(
        JsonFields.count(usage, "input_tokens"),
        JsonFields.count(usage.path("input_tokens_details"), "cached_tokens"),
        JsonFields.count(usage, "output_tokens"),
        JsonFields.count(usage.path("output_tokens_details"), "reasoning_tokens"));
  }

  @Override
  public ObjectNode error(WireErrorKind kind, String message) {
    return OpenAiUsage.error(kind, message);
  }

  @Override
  public SseEvent errorEvent(WireErrorKind kind, String message) {
    ObjectNode data = JsonFields.newObject().put("type", "response.failed");
    ObjectNode response = data.putObject("response");
    response.put("object", "response").put("status", "failed");
    response.putObject("error").put("code", kind.type()).put("message", message);
    return JsonFields.event("response.failed", data);
  }

  @Override
  public byte[] keepAlive() {
    return KEEP_ALIVE.clone();
  }
}
