/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The response to a call as a stream of events: it is kept alive while the call runs, passes its
 * progress, and ends with its answer. {@link #progress} is thread-safe, the rest is for one thread.
 */
final class McpResponseStream {
  private static final Duration ALIVE = Duration.ofSeconds(10);

  /** Progress that waits beyond this is dropped: it is only shown. */
  private static final int MAX_WAITING = 100;

  /** Ends a wait; not sent. */
  private static final JsonNode WAKE = Json.mapper().createObjectNode();

  private final OutputStream out;
  private final JsonNode progressToken;
  private final BlockingQueue<JsonNode> waiting = new ArrayBlockingQueue<>(MAX_WAITING);

  McpResponseStream(OutputStream out, JsonNode progressToken) {
    this.out = out;
    this.progressToken = progressToken;
  }

  /** Sends the status; the answer can take long. */
  static McpResponseStream open(HttpExchange exchange, JsonNode progressToken) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    exchange.sendResponseHeaders(200, 0);
    return new McpResponseStream(exchange.getResponseBody(), progressToken);
  }

  void progress(JsonNode params) {
    if (!progressToken.isMissingNode()) {
      ObjectNode copy = params.deepCopy();
      copy.set("progressToken", progressToken);
      ObjectNode message =
          Json.mapper()
              .createObjectNode()
              .put("jsonrpc", "2.0")
              .put("method", "notifications/progress");
      message.set("params", copy);
      waiting.offer(message);
    }
  }

  /**
   * Returns when the answer is there, or after the bound.
   *
   * @throws IOException when the agent no longer reads
   */
  void follow(CompletableFuture<JsonNode> answer, Duration within)
      throws IOException, InterruptedException {
    var unused = answer.whenComplete((value, problem) -> waiting.offer(WAKE));
    long end = System.nanoTime() + within.toNanos();
    while (!answer.isDone()) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        return;
      }
      JsonNode event = waiting.poll(Math.min(left, ALIVE.toNanos()), TimeUnit.NANOSECONDS);
      if (event == null) {
        out.write(": the call is running\n\n".getBytes(StandardCharsets.UTF_8));
        out.flush();
      } else if (!event.isEmpty()) {
        write(event);
      }
    }
  }

  /** Writes the progress that came before the answer, then the answer. */
  void end(ObjectNode response) throws IOException {
    for (JsonNode event = waiting.poll(); event != null; event = waiting.poll()) {
      if (!event.isEmpty()) {
        write(event);
      }
    }
    write(response);
  }

  private void write(JsonNode message) throws IOException {
    out.write(("event: message\ndata: " + message + "\n\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
