/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.acp;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentStart;
import dev.baton.agent.McpAccess;
import dev.baton.agent.process.PromptImages;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * What a turn begins with, read before the process is started.
 *
 * @param images of the prompt
 * @param text the prompt, with the schema of its final text
 */
record AcpPrompt(List<PromptImages.PromptImage> images, String text) {
  AcpPrompt {
    images = List.copyOf(images);
  }

  /**
   * @throws IOException when an image cannot be read
   */
  static AcpPrompt of(AgentLaunch launch) throws IOException {
    String text =
        switch (launch.start()) {
          case AgentStart.Fresh(String words) -> words;
          case AgentStart.Fallback(String words, String refused) -> words;
          case AgentStart.Continue(String id, String words) -> words;
          case AgentStart.Resume resume -> null;
          case AgentStart.Fork fork -> fork.prompt();
        };
    if (text == null) {
      return new AcpPrompt(List.of(), AcpSession.CONTINUE);
    }
    String schema = launch.task().outputSchema();
    return new AcpPrompt(
        PromptImages.read(launch.task().images()),
        schema.isBlank()
            ? text
            : text
                + "\n\nThe last message must be nothing but JSON that fits this JSON Schema:\n"
                + schema);
  }

  /**
   * The blocks of a prompt.
   *
   * @param system text before the prompt; empty for none
   */
  ArrayNode blocks(String system) {
    ArrayNode blocks = Json.mapper().createArrayNode();
    for (PromptImages.PromptImage image : images) {
      blocks
          .addObject()
          .put("type", "image")
          .put("mimeType", image.mediaType())
          .put("data", image.base64());
    }
    blocks
        .addObject()
        .put("type", "text")
        .put("text", system.isBlank() ? text : system + "\n\n" + text);
    return blocks;
  }

  /** Servers in the shape of {@code session/new}. */
  static ArrayNode servers(List<McpAccess> all) {
    ArrayNode servers = Json.mapper().createArrayNode();
    for (McpAccess access : all) {
      ObjectNode server = servers.addObject().put("name", access.name());
      switch (access) {
        case McpAccess.Stdio stdio -> {
          server.put("command", stdio.command().getFirst());
          ArrayNode arguments = server.putArray("args");
          stdio.command().stream().skip(1).forEach(arguments::add);
          pairs(server.putArray("env"), stdio.environment());
        }
        case McpAccess.Http http -> {
          server.put("type", "http").put("url", http.url().toString());
          pairs(server.putArray("headers"), http.headers());
        }
      }
    }
    return servers;
  }

  private static void pairs(ArrayNode array, Map<String, String> fields) {
    fields.forEach((name, value) -> array.addObject().put("name", name).put("value", value));
  }
}
