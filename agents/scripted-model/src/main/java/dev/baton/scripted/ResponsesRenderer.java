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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** OpenAI Responses. */
final class ResponsesRenderer implements ReplyRenderer {
  /** Tools of MCP servers and those for sub-agents have a namespace in this form. */
  private static final Pattern OF_SERVER = Pattern.compile("((?:mcp__|multi_agent_).+?)__(.+)");

  @Override
  public ObjectNode whole(ScriptedRequest request, ScriptedReply reply) {
    ObjectNode response = shell(request, "completed");
    ArrayNode output = response.putArray("output");
    int index = 0;
    for (ReplyPart part : reply.parts()) {
      output.add(item(request, part, index++));
    }
    ObjectNode usage = response.putObject("usage");
    usage.put("input_tokens", reply.usage().input() + reply.usage().cached());
    usage.putObject("input_tokens_details").put("cached_tokens", reply.usage().cached());
    usage.put("output_tokens", reply.usage().output());
    usage.putObject("output_tokens_details").put("reasoning_tokens", reply.usage().reasoning());
    usage.put(
        "total_tokens", reply.usage().input() + reply.usage().cached() + reply.usage().output());
    return response;
  }

  private static ObjectNode shell(ScriptedRequest request, String status) {
    ObjectNode response = RenderedJson.object();
    response
        .put("id", "resp_" + request.number())
        .put("object", "response")
        .put("created_at", 1_700_000_000 + request.number())
        .put("status", status)
        .put("model", request.body().path("model").asText("scripted"));
    response.putArray("output");
    return response;
  }

  private static ObjectNode item(ScriptedRequest request, ReplyPart part, int index) {
    ObjectNode item = RenderedJson.object();
    String number = request.number() + "_" + index;
    switch (part) {
      case ReplyPart.Text(String text) -> {
        item.put("id", "msg_" + number).put("type", "message").put("status", "completed");
        item.put("role", "assistant");
        ObjectNode content = item.putArray("content").addObject();
        content.put("type", "output_text").put("text", text).putArray("annotations");
      }
      case ReplyPart.Thinking(String text) -> {
        item.put("id", "rs_" + number).put("type", "reasoning");
        item.putArray("summary").addObject().put("type", "summary_text").put("text", text);
        item.put("encrypted_content", "enc-" + number);
      }
      case ReplyPart.ToolCall(String name, String input) -> {
        Matcher server = OF_SERVER.matcher(name);
        item.put("id", "fc_" + number)
            .put("type", "function_call")
            .put("status", "completed")
            .put("call_id", "call_" + number)
            .put("name", server.matches() ? server.group(2) : name)
            .put("arguments", input);
        if (server.matches()) {
          item.put("namespace", server.group(1));
        }
      }
    }
    return item;
  }

  @Override
  public List<String> stream(ScriptedRequest request, ScriptedReply reply) {
    List<String> events = new ArrayList<>();
    int[] number = {0};
    ObjectNode created = numbered("response.created", number);
    created.set("response", shell(request, "in_progress"));
    add(events, created);
    int index = 0;
    for (ReplyPart part : reply.parts()) {
      addItem(events, request, part, index++, number);
    }
    ObjectNode end = numbered("response.completed", number);
    end.set("response", whole(request, reply));
    add(events, end);
    return events;
  }

  private static void addItem(
      List<String> events, ScriptedRequest request, ReplyPart part, int index, int[] number) {
    ObjectNode item = item(request, part, index);
    ObjectNode shell = item.deepCopy();
    String id = item.path("id").asText();
    switch (part) {
      case ReplyPart.Text text -> shell.putArray("content");
      case ReplyPart.Thinking thinking -> shell.putArray("summary");
      case ReplyPart.ToolCall call -> shell.put("arguments", "");
    }
    ObjectNode added = numbered("response.output_item.added", number).put("output_index", index);
    added.set("item", shell);
    add(events, added);
    switch (part) {
      case ReplyPart.Text(String text) -> {
        for (String delta : RenderedJson.deltas(text)) {
          add(
              events,
              numbered("response.output_text.delta", number)
                  .put("item_id", id)
                  .put("output_index", index)
                  .put("content_index", 0)
                  .put("delta", delta));
        }
      }
      case ReplyPart.Thinking(String text) -> {
        for (String delta : RenderedJson.deltas(text)) {
          add(
              events,
              numbered("response.reasoning_summary_text.delta", number)
                  .put("item_id", id)
                  .put("output_index", index)
                  .put("summary_index", 0)
                  .put("delta", delta));
        }
      }
      case ReplyPart.ToolCall(String name, String input) -> {
        for (String delta : RenderedJson.deltas(input)) {
          add(
              events,
              numbered("response.function_call_arguments.delta", number)
                  .put("item_id", id)
                  .put("output_index", index)
                  .put("delta", delta));
        }
        add(
            events,
            numbered("response.function_call_arguments.done", number)
                .put("item_id", id)
                .put("output_index", index)
                .put("arguments", input));
      }
    }
    ObjectNode done = numbered("response.output_item.done", number).put("output_index", index);
    done.set("item", item);
    add(events, done);
  }

  private static void add(List<String> events, ObjectNode data) {
    events.add(RenderedJson.event(data.path("type").asText(), data));
  }

  private static ObjectNode numbered(String type, int[] number) {
    return RenderedJson.object().put("type", type).put("sequence_number", number[0]++);
  }

  @Override
  public ObjectNode error(String message) {
    ObjectNode body = RenderedJson.object();
    body.putObject("error").put("message", message).put("type", "server_error");
    return body;
  }

  @Override
  public String errorEvent() {
    ObjectNode data = RenderedJson.object().put("type", "error");
    return RenderedJson.event("error", data.put("code", "server_error").put("message", "failed"));
  }
}
