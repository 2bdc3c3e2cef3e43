/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.trace.TraceEvent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists the tools that a journaled answer calls, of any form. */
final class AgentToolNameReader {
  private static final int MAX_LENGTH = 200;

  private final List<String> names = new ArrayList<>();

  private AgentToolNameReader() {}

  static List<String> of(@Nullable JsonNode answer) {
    if (answer == null) {
      return List.of();
    }
    AgentToolNameReader found = new AgentToolNameReader();
    JsonNode events = answer.path("events");
    if (events.isArray()) {
      for (JsonNode event : events) {
        JsonNode data = event.path("data");
        found.add(data.path("content_block"));
        if (data.path("type").asText("").equals("response.output_item.done")) {
          found.add(data.path("item"));
        }
        data.path("choices").forEach(choice -> found.addChat(choice.path("delta")));
      }
    } else {
      JsonNode message = answer.path("message");
      message.path("content").forEach(found::add);
      message.path("output").forEach(found::add);
      message.path("choices").forEach(choice -> found.addChat(choice.path("message")));
    }
    return List.copyOf(found.names);
  }

  private void add(JsonNode block) {
    String type = block.path("type").asText("");
    if (type.equals("tool_use") || type.endsWith("_call")) {
      name(block.path("name").asText(type));
    }
  }

  private void addChat(JsonNode message) {
    for (JsonNode call : message.path("tool_calls")) {
      String name = call.path("function").path("name").asText("");
      if (!name.isEmpty()) {
        name(name);
      }
    }
  }

  private void name(String name) {
    if (names.size() < TraceEvent.ModelAnswered.MAX_TOOLS) {
      names.add(name.length() > MAX_LENGTH ? name.substring(0, MAX_LENGTH) : name);
    }
  }
}
