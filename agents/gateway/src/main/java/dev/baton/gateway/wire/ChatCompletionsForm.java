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
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** OpenAI Chat Completions, {@code POST /v1/chat/completions}. */
public final class ChatCompletionsForm implements WireForm {
  private static final String DONE = "[DONE]";
  private static final byte[] KEEP_ALIVE = ": keep-alive\n\n".getBytes(StandardCharsets.UTF_8);

  @Override
  public String id() {
    return "openai-chat";
  }

  @Override
  public String path() {
    return "/v1/chat/completions";
  }

  @Override
  public KeyHeader keyHeader() {
    return new KeyHeader("authorization", "Bearer ");
  }

  @Override
  public ModelRequest parse(ObjectNode body) throws InvalidRequestException {
    List<ConversationItem> items = new ArrayList<>();
    JsonFields.array(body, "messages").forEach(message -> add(items, message));
    List<String> tools = new ArrayList<>();
    body.path("tools").forEach(tool -> tools.add(JsonFields.string(tool.path("function"), "name")));
    ObjectNode format = JsonFields.newObject();
    JsonNode output = body.path("response_format");
    if (output.isObject() && !JsonFields.string(output, "type").equals("text")) {
      format.set("response_format", output);
    }
    if (body.path("tool_choice").isObject()
        || JsonFields.string(body, "tool_choice").equals("required")) {
      format.set("tool_choice", body.path("tool_choice"));
    }
    StringBuilder instructions = new StringBuilder();
    for (JsonNode message : body.path("messages")) {
      if (isInstruction(message)) {
        instructions.append(JsonFields.canonical(message.path("content")));
      }
    }
    return new ModelRequest(
        JsonFields.model(body),
        JsonFields.flag(body, "stream"),
        body.path("stream_options").path("include_usage").asBoolean(false),
        JsonFields.bound(body, "max_completion_tokens", "max_tokens"),
        items,
        tools.stream().sorted().toList(),
        format.isEmpty() ? "" : JsonFields.canonical(format),
        instructions.toString(),
        JsonFields.optional(body, "prompt_cache_key"));
  }

  private static boolean isInstruction(JsonNode message) {
    String role = JsonFields.string(message, "role");
    return role.equals("system") || role.equals("developer");
  }

  private static void add(List<ConversationItem> items, JsonNode message) {
    if (isInstruction(message)) {
      return;
    }
    String role = JsonFields.string(message, "role");
    JsonNode content = message.path("content");
    if (role.equals("tool")) {
      items.add(ConversationItem.result(JsonFields.string(message, "tool_call_id"), text(content)));
      return;
    }
    if (content.isTextual()) {
      items.add(ConversationItem.text(role, content.textValue()));
    }
    for (JsonNode part : content) {
      items.add(
          JsonFields.string(part, "type").equals("text")
              ? ConversationItem.text(role, JsonFields.string(part, "text"))
              : ConversationItem.other(role, JsonFields.canonical(part)));
    }
    for (JsonNode call : message.path("tool_calls")) {
      items.add(
          ConversationItem.call(
              JsonFields.string(call, "id"),
              JsonFields.string(call.path("function"), "name"),
              JsonFields.canonicalText(JsonFields.string(call.path("function"), "arguments"))));
    }
  }

  private static String text(JsonNode content) {
    if (content.isTextual()) {
      return content.textValue();
    }
    StringBuilder text = new StringBuilder();
    for (JsonNode part : content) {
      text.append(part.has("text") ? JsonFields.string(part, "text") : JsonFields.canonical(part));
    }
    return text.toString();
  }

  /** Streams contain no usage unless it is requested. */
  @Override
  public ObjectNode upstreamBody(ObjectNode body) {
    if (!body.path("stream").asBoolean(false)
        || body.path("stream_options").path("include_usage").asBoolean(false)) {
      return body;
    }
    ObjectNode copy = body.deepCopy();
    ObjectNode options =
        copy.path("stream_options") instanceof ObjectNode set
            ? set
            : copy.putObject("stream_options");
    options.put("include_usage", true);
    return copy;
  }

  @Override
  public boolean isForAgent(SseEvent event, ModelRequest request) {
    ObjectNode data = request.usageRequested() ? null : event.object();
    return data == null || !data.path("choices").isEmpty() || !data.path("usage").isObject();
  }

  /** Clients of this form start a tool as soon as its arguments are complete JSON. */
  @Override
  public boolean completesCall(ObjectNode data, Set<Integer> callParts) {
    for (JsonNode choice : data.path("choices")) {
      if (!choice.path("delta").path("tool_calls").isEmpty()) {
        return true;
      }
    }
    return false;
  }

  private static boolean hasFinish(@Nullable ObjectNode data) {
    if (data != null) {
      for (JsonNode choice : data.path("choices")) {
        if (choice.path("finish_reason").isTextual()) {
          return true;
        }
      }
    }
    return false;
  }

  @Override
  public boolean isFinal(SseEvent event, @Nullable ObjectNode data) {
    return isLast(event) || hasFinish(data);
  }

  /** Some servers leave the last line out: a finish reason is enough. */
  @Override
  public boolean isComplete(List<SseEvent> events) {
    return events.stream().anyMatch(event -> hasFinish(JsonFields.object(event)));
  }

  @Override
  public boolean isLast(SseEvent event) {
    return event.data().equals(DONE);
  }

  @Override
  public boolean isError(SseEvent event, @Nullable ObjectNode data) {
    return data != null && data.path("error").isObject() && !data.has("choices");
  }

  @Override
  public boolean isKeepAlive(SseEvent event) {
    return false;
  }

  @Override
  public ObjectNode assemble(List<SseEvent> events) throws MalformedAnswerException {
    ObjectNode answer = null;
    TreeMap<Integer, ObjectNode> choices = new TreeMap<>();
    for (SseEvent event : events) {
      if (isLast(event)) {
        continue;
      }
      ObjectNode chunk = JsonFields.required(event);
      if (answer == null) {
        answer = JsonFields.newObject();
      }
      for (Map.Entry<String, JsonNode> field : chunk.properties()) {
        if (!field.getKey().equals("choices")
            && !(field.getValue().isNull() && answer.has(field.getKey()))) {
          answer.set(field.getKey(), field.getValue());
        }
      }
      for (JsonNode choice : chunk.path("choices")) {
        merge(
            choices.computeIfAbsent(
                choice.path("index").asInt(), index -> JsonFields.newObject().put("index", index)),
            choice);
      }
    }
    if (answer == null || choices.isEmpty()) {
      throw new MalformedAnswerException("the answer has no choices");
    }
    answer.put("object", "chat.completion");
    ArrayNode all = answer.putArray("choices");
    choices.values().forEach(all::add);
    return answer;
  }

  private static void merge(ObjectNode known, JsonNode choice) {
    ObjectNode message =
        known.path("message") instanceof ObjectNode set ? set : known.putObject("message");
    for (Map.Entry<String, JsonNode> field : choice.properties()) {
      switch (field.getKey()) {
        case "delta" -> mergeDelta(message, field.getValue());
        case "index" -> {}
        default -> {
          if (!field.getValue().isNull() || !known.has(field.getKey())) {
            known.set(field.getKey(), field.getValue());
          }
        }
      }
    }
  }

  private static void mergeDelta(ObjectNode message, JsonNode delta) {
    for (Map.Entry<String, JsonNode> field : delta.properties()) {
      String name = field.getKey();
      JsonNode value = field.getValue();
      if (name.equals("tool_calls")) {
        value.forEach(call -> mergeCall(message, call));
      } else if (value.isTextual() && !name.equals("role")) {
        message.put(name, JsonFields.string(message, name) + value.textValue());
      } else if (!value.isNull() || !message.has(name)) {
        message.set(name, value);
      }
    }
  }

  private static void mergeCall(ObjectNode message, JsonNode part) {
    ArrayNode calls = JsonFields.listOf(message, "tool_calls");
    int index = Math.max(0, Math.min(part.path("index").asInt(calls.size()), 4_096));
    while (calls.size() <= index) {
      calls.addObject();
    }
    if (!(calls.get(index) instanceof ObjectNode)) {
      calls.set(index, JsonFields.newObject());
    }
    ObjectNode call = (ObjectNode) calls.get(index);
    for (Map.Entry<String, JsonNode> field : part.properties()) {
      if (field.getKey().equals("function")) {
        ObjectNode function =
            call.path("function") instanceof ObjectNode set ? set : call.putObject("function");
        for (Map.Entry<String, JsonNode> entry : field.getValue().properties()) {
          if (entry.getKey().equals("arguments")) {
            function.put(
                "arguments",
                JsonFields.string(function, "arguments") + entry.getValue().asText(""));
          } else if (!entry.getValue().isNull()) {
            function.set(entry.getKey(), entry.getValue());
          }
        }
      } else if (!field.getKey().equals("index") && !field.getValue().isNull()) {
        call.set(field.getKey(), field.getValue());
      }
    }
  }

  @Override
  public List<SseEvent> split(ObjectNode answer) {
    List<SseEvent> events = new ArrayList<>();
    ObjectNode shell = answer.deepCopy();
    shell.put("object", "chat.completion.chunk");
    shell.remove(List.of("choices", "usage"));
    for (JsonNode choice : answer.path("choices")) {
      int index = choice.path("index").asInt();
      ObjectNode delta = choice.path("message").deepCopy();
      int number = 0;
      for (JsonNode call : delta.path("tool_calls")) {
        ((ObjectNode) call).put("index", number++);
      }
      events.add(chunk(shell, index, delta, null));
      ObjectNode rest = choice.deepCopy();
      rest.remove(List.of("message", "index"));
      events.add(chunk(shell, index, JsonFields.newObject(), rest));
    }
    if (answer.path("usage").isObject()) {
      ObjectNode end = shell.deepCopy();
      end.putArray("choices");
      end.set("usage", answer.path("usage"));
      events.add(JsonFields.event(null, end));
    }
    events.add(new SseEvent(null, DONE));
    return events;
  }

  private static SseEvent chunk(
      ObjectNode shell, int index, ObjectNode delta, @Nullable ObjectNode rest) {
    ObjectNode chunk = shell.deepCopy();
    ObjectNode choice = chunk.putArray("choices").addObject().put("index", index);
    choice.set("delta", delta);
    if (rest == null) {
      choice.putNull("finish_reason");
    } else {
      choice.setAll(rest);
    }
    return JsonFields.event(null, chunk);
  }

  @Override
  public List<SseEvent> compact(List<SseEvent> events) {
    List<SseEvent> joined =
        DeltaJoiner.join(events, ChatCompletionsForm::joinable, ChatCompletionsForm::withText);
    if (!joined.isEmpty() && !isLast(joined.getLast())) {
      joined.add(new SseEvent(null, DONE));
    }
    return joined;
  }

  /** The one text that a chunk adds to the message or to the arguments of a call. */
  private static @Nullable ObjectNode holder(ObjectNode data) {
    if (data.path("choices").size() != 1
        || data.path("usage").isObject()
        || data.path("choices").path(0).path("finish_reason").isTextual()
        || !(data.path("choices").path(0).path("delta") instanceof ObjectNode delta)
        || delta.size() != 1) {
      return null;
    }
    JsonNode calls = delta.path("tool_calls");
    if (calls.isMissingNode()) {
      return delta;
    }
    boolean argumentsOnly =
        calls.size() == 1
            && calls.path(0).size() == 2
            && calls.path(0).has("index")
            && calls.path(0).path("function").size() == 1
            && calls.path(0).path("function").has("arguments");
    return argumentsOnly && calls.path(0).path("function") instanceof ObjectNode function
        ? function
        : null;
  }

  private static DeltaJoiner.@Nullable Part joinable(ObjectNode data) {
    ObjectNode copy = data.deepCopy();
    ObjectNode holder = holder(copy);
    if (holder == null) {
      return null;
    }
    String field = holder.fieldNames().next();
    JsonNode text = holder.get(field);
    if (!text.isTextual() || field.equals("role")) {
      return null;
    }
    holder.put(field, "");
    copy.remove("obfuscation");
    return new DeltaJoiner.Part(JsonFields.canonical(copy), text.textValue());
  }

  private static void withText(ObjectNode data, String text) {
    ObjectNode holder = holder(data);
    if (holder != null) {
      holder.put(holder.fieldNames().next(), text);
    }
  }

  @Override
  public AnswerMeta meta(ObjectNode answer) throws MalformedAnswerException {
    if (!answer.path("choices").isArray()) {
      throw new MalformedAnswerException("the answer has no choices");
    }
    List<ToolCallRef> calls = new ArrayList<>();
    for (ObjectNode choice : JsonFields.parts(answer, "choices")) {
      if (!choice.path("message").isObject()) {
        throw new MalformedAnswerException("choices: a choice has no message");
      }
      for (ObjectNode call : JsonFields.parts(choice.path("message"), "tool_calls")) {
        calls.add(
            new ToolCallRef(
                JsonFields.string(call, "id"), JsonFields.string(call.path("function"), "name")));
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
        JsonFields.count(usage, "prompt_tokens"),
        JsonFields.count(usage.path("prompt_tokens_details"), "cached_tokens"),
        JsonFields.count(usage, "completion_tokens"),
        JsonFields.count(usage.path("completion_tokens_details"), "reasoning_tokens"));
  }

  @Override
  public ObjectNode error(WireErrorKind kind, String message) {
    return OpenAiUsage.error(kind, message);
  }

  @Override
  public SseEvent errorEvent(WireErrorKind kind, String message) {
    return JsonFields.event(null, error(kind, message));
  }

  @Override
  public byte[] keepAlive() {
    return KEEP_ALIVE.clone();
  }
}
