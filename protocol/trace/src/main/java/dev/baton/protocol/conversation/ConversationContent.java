/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.conversation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.util.ArrayList;
import java.util.List;

/**
 * What a request to a model says about its conversation, in the notation of its form.
 *
 * @param form {@code anthropic-messages}, {@code openai-responses} or {@code openai-chat}
 * @param system the system prompt: a text, a list of blocks, or missing
 * @param tools names of the offered tools
 */
record ConversationContent(
    String form, String model, JsonNode system, List<String> tools, List<JsonNode> messages) {
  private static final String RESPONSES = "openai-responses";
  private static final String CHAT = "openai-chat";

  ConversationContent {
    tools = List.copyOf(tools);
    messages = List.copyOf(messages);
  }

  static ConversationContent of(String form, ObjectNode body) {
    List<JsonNode> messages = new ArrayList<>();
    JsonNode given = body.path(form.equals(RESPONSES) ? "input" : "messages");
    if (given.isTextual()) {
      messages.add(Json.mapper().createObjectNode().put("role", "user").set("content", given));
    } else {
      given.forEach(messages::add);
    }
    JsonNode system =
        switch (form) {
          case RESPONSES -> body.path("instructions");
          case CHAT ->
              !messages.isEmpty() && isSystem(messages.getFirst())
                  ? messages.removeFirst().path("content")
                  : MissingNode.getInstance();
          default -> body.path("system");
        };
    List<String> tools = new ArrayList<>();
    for (JsonNode tool : body.path("tools")) {
      JsonNode name = form.equals(CHAT) ? tool.path("function").path("name") : tool.path("name");
      tools.add(name.asText(tool.path("type").asText()));
    }
    return new ConversationContent(form, body.path("model").asText(), system, tools, messages);
  }

  private static boolean isSystem(JsonNode message) {
    String role = message.path("role").asText();
    return role.equals("system") || role.equals("developer");
  }
}
