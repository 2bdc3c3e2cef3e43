/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.scripted;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads scripts: {@code {"answers": [{"thinking": "…", "text": "…", "tools": [{"name": "…",
 * "input": {…}}], "usage": {"input": 1, "cached": 0, "written": 0, "output": 1, "reasoning": 0},
 * "before_ms": 0, "between_ms": 0, "status": 429, "retry_after": "1", "break_after": 3}, …]}}. All
 * fields are optional. A conversation gets its n-th answer from the n-th entry.
 */
public final class ScriptFileParser {
  private ScriptFileParser() {}

  /**
   * @throws IOException when the file cannot be read
   * @throws IllegalArgumentException when it is not a script
   */
  public static ModelScript read(Path file) throws IOException {
    return parse(Json.tree(Files.readAllBytes(file)));
  }

  static ModelScript parse(JsonNode script) {
    List<ScriptedReply> replies = new ArrayList<>();
    for (JsonNode answer : script.path("answers")) {
      replies.add(reply(answer));
    }
    if (replies.isEmpty()) {
      throw new IllegalArgumentException("script: 'answers' is missing or empty");
    }
    return ModelScript.byTurn(replies);
  }

  private static ScriptedReply reply(JsonNode answer) {
    ScriptedReply reply = ScriptedReply.empty();
    if (answer.path("thinking").isTextual()) {
      reply = reply.with(new ReplyPart.Thinking(answer.path("thinking").textValue()));
    }
    if (answer.path("text").isTextual()) {
      reply = reply.with(new ReplyPart.Text(answer.path("text").textValue()));
    }
    for (JsonNode tool : answer.path("tools")) {
      reply =
          reply.with(
              new ReplyPart.ToolCall(
                  tool.path("name").asText(), RenderedJson.text(tool.path("input"))));
    }
    JsonNode usage = answer.path("usage");
    if (usage.isObject()) {
      reply =
          reply.usage(
              usage.path("input").asLong(),
              usage.path("cached").asLong(),
              usage.path("written").asLong(),
              usage.path("output").asLong(),
              usage.path("reasoning").asLong());
    }
    reply =
        reply
            .after(Duration.ofMillis(answer.path("before_ms").asLong()))
            .slowly(Duration.ofMillis(answer.path("between_ms").asLong()));
    if (answer.has("status")) {
      return reply.failing(
          new ReplyFault.ErrorStatus(
              answer.path("status").asInt(),
              answer.path("retry_after").asText(""),
              answer.path("message").asText("scripted error")));
    }
    return answer.has("break_after")
        ? reply.failing(new ReplyFault.BreakOff(answer.path("break_after").asInt()))
        : reply;
  }
}
