/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A session with one MCP server: the handshake, requests of several callers with ids of its own,
 * their progress and cancellation. It declares no capabilities of a client: other requests of the
 * server than {@code ping} are refused. Thread-safe.
 */
final class McpSession implements AutoCloseable {
  static final String PROTOCOL = "2025-06-18";
  private static final int METHOD_NOT_FOUND = -32_601;

  private final String server;
  private final McpTransport transport;
  private final Map<Long, OpenRequest> open = new ConcurrentHashMap<>();
  private final AtomicLong ids = new AtomicLong();
  private final CompletableFuture<String> end = new CompletableFuture<>();
  private volatile JsonNode initialized = Json.mapper().createObjectNode();

  /**
   * A request that was sent.
   *
   * @param answer the response, with {@code result} or {@code error}; fails with an {@link
   *     McpException}
   */
  record OpenRequest(long id, CompletableFuture<JsonNode> answer, Consumer<JsonNode> progress) {}

  private McpSession(String server, McpTransport.Opener opener) throws IOException {
    this.server = server;
    this.transport =
        opener.open(
            new McpTransport.Receiver() {
              @Override
              public void received(JsonNode message) {
                dispatch(message);
              }

              @Override
              public void ended(String reason) {
                endWith(reason);
              }
            });
  }

  /**
   * Starts a session and does the handshake.
   *
   * @param within the longest wait for the answer of the server
   * @throws IOException when the server cannot be started
   * @throws McpException when it refuses, ends, or does not answer in time
   */
  static McpSession open(String server, McpTransport.Opener opener, Duration within)
      throws IOException, McpException, InterruptedException {
    McpSession session = new McpSession(server, opener);
    boolean good = false;
    try {
      session.transport.begin();
      ObjectNode params = Json.mapper().createObjectNode().put("protocolVersion", PROTOCOL);
      params.putObject("capabilities");
      params.putObject("clientInfo").put("name", "baton").put("version", "1");
      JsonNode result = session.result("initialize", params, within);
      session.initialized = result;
      session.transport.agreed(result.path("protocolVersion").asText(PROTOCOL));
      session.notify("notifications/initialized", Json.mapper().createObjectNode());
      good = true;
      return session;
    } finally {
      if (!good) {
        session.close();
      }
    }
  }

  /** The server's answer to the handshake. */
  JsonNode initialized() {
    return initialized;
  }

  /** Completes with the reason when the server is gone. */
  CompletableFuture<String> end() {
    return end;
  }

  /**
   * Sends a request.
   *
   * @param progress receives the parameters of its {@code notifications/progress}, on a thread of
   *     the transport
   */
  OpenRequest send(String method, JsonNode params, Consumer<JsonNode> progress) {
    long id = ids.incrementAndGet();
    OpenRequest request = new OpenRequest(id, new CompletableFuture<>(), progress);
    open.put(id, request);
    if (end.isDone()) {
      fail(id, McpException.notSent(end.join()));
      return request;
    }
    ObjectNode message = envelope().put("id", id).put("method", method);
    if (!params.isMissingNode() && !params.isNull()) {
      message.set("params", withToken(params, id));
    }
    transport.send(message, problem -> fail(id, problem));
    return request;
  }

  /** Replaces the caller's token for progress, which need not be unique. */
  private static JsonNode withToken(JsonNode params, long id) {
    if (params.path("_meta").path("progressToken").isMissingNode()) {
      return params;
    }
    ObjectNode copy = params.deepCopy();
    ((ObjectNode) copy.path("_meta")).put("progressToken", id);
    return copy;
  }

  /**
   * Waits for the answer of a request; one that does not come in time is cancelled.
   *
   * @return the response
   */
  JsonNode await(OpenRequest request, Duration within) throws McpException, InterruptedException {
    try {
      return request.answer().get(within.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw timedOut(request, within);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof McpException known) {
        throw known;
      }
      throw McpException.unknown("server '%s': %s".formatted(server, e.getCause()));
    } catch (InterruptedException e) {
      cancel(request.id(), "stopped");
      throw e;
    }
  }

  /** Cancels a request that has no answer after a bound. */
  McpException timedOut(OpenRequest request, Duration within) {
    cancel(request.id(), "timeout");
    return McpException.unknown(
        "server '%s' has not answered within %d s".formatted(server, within.toSeconds()));
  }

  /**
   * Sends a request and waits for its result.
   *
   * @throws McpException also for a response that is an error
   */
  JsonNode result(String method, JsonNode params, Duration within)
      throws McpException, InterruptedException {
    JsonNode response = await(send(method, params, progress -> {}), within);
    if (response.has("error")) {
      throw McpException.refused(
          "server '%s': %s: %s"
              .formatted(server, method, response.path("error").path("message").asText()));
    }
    return response.path("result");
  }

  /** Collects the pages of a list. */
  ArrayNode list(String method, String member, Duration within)
      throws McpException, InterruptedException {
    ArrayNode all = Json.mapper().createArrayNode();
    ObjectNode params = Json.mapper().createObjectNode();
    for (int page = 0; page < McpLimits.PAGES; page++) {
      JsonNode result = result(method, params, within);
      result.path(member).forEach(all::add);
      JsonNode next = result.path("nextCursor");
      if (!next.isTextual()) {
        return all;
      }
      params.put("cursor", next.textValue());
    }
    throw McpException.refused(
        "server '%s': %s has more than %d pages".formatted(server, method, McpLimits.PAGES));
  }

  /** Cancels an open request: its answer no longer counts. */
  void cancel(long id, String reason) {
    if (open.remove(id) != null && !end.isDone()) {
      notify(
          "notifications/cancelled",
          Json.mapper().createObjectNode().put("requestId", id).put("reason", reason));
    }
  }

  private void notify(String method, ObjectNode params) {
    ObjectNode message = envelope().put("method", method);
    message.set("params", params);
    transport.send(message, problem -> {});
  }

  private static ObjectNode envelope() {
    return Json.mapper().createObjectNode().put("jsonrpc", "2.0");
  }

  private void dispatch(JsonNode message) {
    if (message.has("method")) {
      if (message.has("id")) {
        respond(message);
      } else if (message.path("method").asText().equals("notifications/progress")) {
        OpenRequest request = open.get(message.path("params").path("progressToken").asLong(-1));
        if (request != null) {
          request.progress().accept(message.path("params"));
        }
      }
      return;
    }
    OpenRequest request = open.remove(message.path("id").asLong(-1));
    if (request != null) {
      request.answer().complete(message);
    }
  }

  private void respond(JsonNode request) {
    ObjectNode response = envelope();
    response.set("id", request.path("id"));
    String method = request.path("method").asText();
    if (method.equals("ping")) {
      response.putObject("result");
    } else {
      response
          .putObject("error")
          .put("code", METHOD_NOT_FOUND)
          .put("message", method + " is not supported");
    }
    transport.send(response, problem -> {});
  }

  private void fail(long id, McpException problem) {
    @Nullable OpenRequest request = open.remove(id);
    if (request != null) {
      request.answer().completeExceptionally(problem);
    }
  }

  /** Ends the session once: what follows, such as its close, does not replace the reason. */
  private void endWith(String reason) {
    end.complete(reason);
    String first = end.join();
    for (Long id : open.keySet()) {
      fail(id, McpException.unknown(first));
    }
  }

  /** Ends the server; open requests fail. */
  @Override
  public void close() {
    transport.close();
    endWith("the session with server '%s' was closed".formatted(server));
  }
}
