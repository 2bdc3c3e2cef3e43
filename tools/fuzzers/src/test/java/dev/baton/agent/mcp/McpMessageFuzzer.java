/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.fuzz.JsonLines;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** Messages of an MCP server, one in each line; the first answers the handshake. */
public final class McpMessageFuzzer {
  private static final Duration NEVER = Duration.ofNanos(1);

  private McpMessageFuzzer() {}

  public static void messages(byte[] input) throws IOException, InterruptedException {
    Deque<JsonNode> left = new ArrayDeque<>(JsonLines.read(input));
    try (McpSession session =
        McpSession.open("fuzz", receiver -> new ScriptedTransport(receiver, left), NEVER)) {
      session.initialized();
      ObjectNode params = Json.mapper().createObjectNode();
      params.putObject("_meta").put("progressToken", "x");
      session.await(session.send("tools/call", params, progress -> {}), NEVER);
      session.list("tools/list", "tools", NEVER);
    } catch (McpException rejected) {
      // The server is refused, with the reason.
    }
  }

  /** Delivers the next message whenever one is sent. */
  private record ScriptedTransport(Receiver receiver, Deque<JsonNode> left)
      implements McpTransport {
    @Override
    public void send(ObjectNode message, Consumer<McpException> failed) {
      for (JsonNode next = left.poll(); next != null; next = left.poll()) {
        boolean answer = next.has("id");
        if (next.isArray()) {
          next.forEach(receiver::received);
        } else {
          receiver.received(next);
        }
        if (answer) {
          return;
        }
      }
    }

    @Override
    public void close() {}
  }
}
