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

/** Anthropic Messages. */
final class MessagesRenderer implements ReplyRenderer {
  @Override
  public ObjectNode whole(ScriptedRequest request, ScriptedReply reply) {
    ObjectNode message = shell(request, reply);
    ArrayNode content = message.putArray("content");
    int index = 0;
    for (ReplyPart part : reply.parts()) {
      content.add(block(request, part, index++));
    }
    message.put("stop_reason", stopReason(reply));
    ((ObjectNode) message.path("usage")).put("output_tokens", reply.usage().output());
    return message;
  }

  private static ObjectNode shell(ScriptedRequest request, ScriptedReply reply) {
    ObjectNode message = RenderedJson.object();
    message
        .put("id", "msg_" + request.number())
        .put("type", "message")
        .put("role", "assistant")
        .put("model", request.body().path("model").asText("scripted"));
    message.putArray("content");
    message.putNull("stop_reason").putNull("stop_sequence");
    message
        .putObject("usage")
        .put("input_tokens", reply.usage().input())
        .put("cache_read_input_tokens", reply.usage().cached())
        .put("cache_creation_input_tokens", reply.usage().written())
        .put("output_tokens", 1)
        .put("service_tier", "standard");
    return message;
  }

  private static String stopReason(ScriptedReply reply) {
    return reply.parts().stream().anyMatch(ReplyPart.ToolCall.class::isInstance)
        ? "tool_use"
        : "end_turn";
  }

  private static ObjectNode block(ScriptedRequest request, ReplyPart part, int index) {
    ObjectNode block = RenderedJson.object();
    switch (part) {
      case ReplyPart.Text(String text) -> block.put("type", "text").put("text", text);
      case ReplyPart.Thinking(String text) ->
          block
              .put("type", "thinking")
              .put("thinking", text)
              .put("signature", "sig-" + request.number());
      case ReplyPart.ToolCall(String name, String input) ->
          block
              .put("type", "tool_use")
              .put("id", "toolu_" + request.number() + "_" + index)
              .put("name", name)
              .set("input", RenderedJson.parsed(input));
    }
    return block;
  }

  @Override
  public List<String> stream(ScriptedRequest request, ScriptedReply reply) {
    List<String> events = new ArrayList<>();
    ObjectNode start = RenderedJson.object().put("type", "message_start");
    start.set("message", shell(request, reply));
    events.add(RenderedJson.event("message_start", start));
    events.add(RenderedJson.event("ping", RenderedJson.object().put("type", "ping")));
    int index = 0;
    for (ReplyPart part : reply.parts()) {
      addBlock(events, request, part, index++);
    }
    ObjectNode end = RenderedJson.object().put("type", "message_delta");
    end.putObject("delta").put("stop_reason", stopReason(reply)).putNull("stop_sequence");
    end.putObject("usage").put("output_tokens", reply.usage().output());
    events.add(RenderedJson.event("message_delta", end));
    events.add(
        RenderedJson.event("message_stop", RenderedJson.object().put("type", "message_stop")));
    return events;
  }

  private static void addBlock(
      List<String> events, ScriptedRequest request, ReplyPart part, int index) {
    ObjectNode shell = block(request, part, index);
    List<ObjectNode> deltas = new ArrayList<>();
    switch (part) {
      case ReplyPart.Text(String text) -> {
        shell.put("text", "");
        RenderedJson.deltas(text).forEach(d -> deltas.add(delta("text_delta", "text", d)));
      }
      case ReplyPart.Thinking(String text) -> {
        shell.put("thinking", "").put("signature", "");
        RenderedJson.deltas(text).forEach(d -> deltas.add(delta("thinking_delta", "thinking", d)));
        deltas.add(delta("signature_delta", "signature", "sig-" + request.number()));
      }
      case ReplyPart.ToolCall(String name, String input) -> {
        shell.putObject("input");
        RenderedJson.deltas(input)
            .forEach(d -> deltas.add(delta("input_json_delta", "partial_json", d)));
      }
    }
    ObjectNode start = indexed("content_block_start", index);
    start.set("content_block", shell);
    events.add(RenderedJson.event("content_block_start", start));
    for (ObjectNode delta : deltas) {
      ObjectNode data = indexed("content_block_delta", index);
      data.set("delta", delta);
      events.add(RenderedJson.event("content_block_delta", data));
    }
    events.add(RenderedJson.event("content_block_stop", indexed("content_block_stop", index)));
  }

  private static ObjectNode delta(String type, String field, String value) {
    return RenderedJson.object().put("type", type).put(field, value);
  }

  private static ObjectNode indexed(String type, int index) {
    return RenderedJson.object().put("type", type).put("index", index);
  }

  @Override
  public ObjectNode error(String message) {
    ObjectNode body = RenderedJson.object().put("type", "error");
    body.putObject("error").put("type", "api_error").put("message", message);
    return body;
  }

  @Override
  public String errorEvent() {
    return RenderedJson.event("error", error("overloaded in the stream"));
  }
}
