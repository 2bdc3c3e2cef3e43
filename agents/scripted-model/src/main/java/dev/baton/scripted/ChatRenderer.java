/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.scripted;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** OpenAI Chat Completions. */
final class ChatRenderer implements ReplyRenderer {
  @Override
  public ObjectNode whole(ScriptedRequest request, ScriptedReply reply) {
    ObjectNode answer = shell(request, "chat.completion");
    ObjectNode choice = answer.putArray("choices").addObject().put("index", 0);
    ObjectNode message = choice.putObject("message").put("role", "assistant").putNull("content");
    int index = 0;
    for (ReplyPart part : reply.parts()) {
      switch (part) {
        case ReplyPart.Text(String text) -> message.put("content", text);
        case ReplyPart.Thinking(String text) -> message.put("reasoning_content", text);
        case ReplyPart.ToolCall call ->
            message.withArray("tool_calls").add(call(request, call, index++));
      }
    }
    choice.put("finish_reason", finishReason(reply));
    answer.set("usage", usage(reply));
    return answer;
  }

  private static ObjectNode call(ScriptedRequest request, ReplyPart.ToolCall part, int index) {
    ObjectNode call = RenderedJson.object();
    call.put("id", "call_" + request.number() + "_" + index).put("type", "function");
    call.putObject("function").put("name", part.name()).put("arguments", part.input());
    return call;
  }

  private static String finishReason(ScriptedReply reply) {
    return reply.parts().stream().anyMatch(ReplyPart.ToolCall.class::isInstance)
        ? "tool_calls"
        : "stop";
  }

  private static ObjectNode usage(ScriptedReply reply) {
    ObjectNode usage = RenderedJson.object();
    usage.put("prompt_tokens", reply.usage().input() + reply.usage().cached());
    usage.putObject("prompt_tokens_details").put("cached_tokens", reply.usage().cached());
    usage.put("completion_tokens", reply.usage().output());
    usage.putObject("completion_tokens_details").put("reasoning_tokens", reply.usage().reasoning());
    return usage;
  }

  private static ObjectNode shell(ScriptedRequest request, String object) {
    ObjectNode answer = RenderedJson.object();
    answer
        .put("id", "chatcmpl-" + request.number())
        .put("object", object)
        .put("created", 1_700_000_000 + request.number())
        .put("model", request.body().path("model").asText("scripted"))
        .put("system_fingerprint", "fp_scripted");
    return answer;
  }

  @Override
  public List<String> stream(ScriptedRequest request, ScriptedReply reply) {
    List<String> events = new ArrayList<>();
    ObjectNode role = RenderedJson.object().put("role", "assistant").put("content", "");
    events.add(chunk(request, role));
    int index = 0;
    for (ReplyPart part : reply.parts()) {
      switch (part) {
        case ReplyPart.Text(String text) ->
            RenderedJson.deltas(text)
                .forEach(d -> events.add(chunk(request, RenderedJson.object().put("content", d))));
        case ReplyPart.Thinking(String text) ->
            RenderedJson.deltas(text)
                .forEach(
                    d ->
                        events.add(
                            chunk(request, RenderedJson.object().put("reasoning_content", d))));
        case ReplyPart.ToolCall call -> addCall(events, request, call, index++);
      }
    }
    ObjectNode end = shell(request, "chat.completion.chunk");
    ObjectNode choice = end.putArray("choices").addObject().put("index", 0);
    choice.putObject("delta");
    choice.put("finish_reason", finishReason(reply));
    events.add(RenderedJson.data(end));
    if (request.body().path("stream_options").path("include_usage").asBoolean(false)) {
      ObjectNode last = shell(request, "chat.completion.chunk");
      last.putArray("choices");
      last.set("usage", usage(reply));
      events.add(RenderedJson.data(last));
    }
    events.add("data: [DONE]\n\n");
    return events;
  }

  private static void addCall(
      List<String> events, ScriptedRequest request, ReplyPart.ToolCall part, int index) {
    ObjectNode first = call(request, part, index).put("index", index);
    ((ObjectNode) first.path("function")).put("arguments", "");
    ObjectNode delta = RenderedJson.object();
    delta.putArray("tool_calls").add(first);
    events.add(chunk(request, delta));
    for (String text : RenderedJson.deltas(part.input())) {
      ObjectNode more = RenderedJson.object();
      ArrayNode calls = more.putArray("tool_calls");
      calls.addObject().put("index", index).putObject("function").put("arguments", text);
      events.add(chunk(request, more));
    }
  }

  private static String chunk(ScriptedRequest request, ObjectNode delta) {
    ObjectNode chunk = shell(request, "chat.completion.chunk");
    ObjectNode choice = chunk.putArray("choices").addObject().put("index", 0);
    choice.set("delta", delta);
    choice.putNull("finish_reason");
    return RenderedJson.data(chunk);
  }

  @Override
  public ObjectNode error(String message) {
    ObjectNode body = RenderedJson.object();
    body.putObject("error").put("message", message).put("type", "server_error");
    return body;
  }

  @Override
  public String errorEvent() {
    return RenderedJson.data(error("failed in the stream"));
  }
}
