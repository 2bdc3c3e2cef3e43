/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Serves the agent's side of streamable HTTP at {@code /mcp/NAME}. The handshake is answered from
 * that of the server; other requests pass through with new ids. Thread-safe.
 */
final class McpProxyHandler implements HttpHandler {
  private static final int MAX_REQUESTS = 64;

  private static final String PREFIX = "/mcp/";
  private static final int FAILED = -32_000;
  private static final int INVALID = -32_600;
  private static final int NOT_JSON = -32_700;

  /** What the proxy passes on; changes of lists and messages of logs it does not. */
  private static final List<String> CAPABILITIES =
      List.of("tools", "resources", "prompts", "completions");

  private final Map<String, McpServer> servers;
  private final byte[] authorization;
  private final Semaphore places = new Semaphore(MAX_REQUESTS);

  /** Open requests of the agent, by session and id, for their cancellation. */
  private final Map<String, Forwarded> open = new ConcurrentHashMap<>();

  private record Forwarded(McpSession session, McpSession.OpenRequest request) {}

  McpProxyHandler(Map<String, McpServer> servers, String token) {
    this.servers = Map.copyOf(servers);
    this.authorization = ("Bearer " + token).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!places.tryAcquire()) {
        refuse(exchange, 503, FAILED, "more than " + MAX_REQUESTS + " requests at the same time");
        return;
      }
      try {
        serve(exchange);
      } finally {
        places.release();
      }
    } catch (InterruptedException e) {
      throw new IOException("the proxy is closing", e);
    }
  }

  private void serve(HttpExchange exchange) throws IOException, InterruptedException {
    String given = exchange.getRequestHeaders().getFirst("authorization");
    if (given == null
        || !MessageDigest.isEqual(authorization, given.getBytes(StandardCharsets.UTF_8))) {
      refuse(exchange, 401, INVALID, "the request has no valid token");
      return;
    }
    String path = exchange.getRequestURI().getPath();
    McpServer server =
        path.startsWith(PREFIX) ? servers.get(path.substring(PREFIX.length())) : null;
    if (server == null) {
      refuse(exchange, 404, INVALID, "no server at " + path);
      return;
    }
    switch (exchange.getRequestMethod()) {
      case "POST" -> post(exchange, server);
      case "DELETE" -> exchange.sendResponseHeaders(200, -1);
      default -> {
        exchange.getResponseHeaders().set("Allow", "POST, DELETE");
        refuse(exchange, 405, INVALID, "only POST and DELETE are served");
      }
    }
  }

  private void post(HttpExchange exchange, McpServer server)
      throws IOException, InterruptedException {
    byte[] body = exchange.getRequestBody().readNBytes(McpLimits.MESSAGE_BYTES + 1);
    if (body.length > McpLimits.MESSAGE_BYTES) {
      refuse(
          exchange, 413, INVALID, "a message has more than " + McpLimits.MESSAGE_BYTES + " bytes");
      return;
    }
    JsonNode message;
    try {
      message = Json.parsedTree(body);
    } catch (JsonProcessingException e) {
      refuse(exchange, 400, NOT_JSON, "the request is not JSON");
      return;
    }
    if (!message.isObject()) {
      refuse(exchange, 400, INVALID, "the request is not a single JSON-RPC message");
      return;
    }
    String method = message.path("method").asText();
    if (!message.hasNonNull("id") || method.isEmpty()) {
      if (method.equals("notifications/cancelled")) {
        cancel(exchange, message.path("params"));
      }
      exchange.sendResponseHeaders(202, -1);
      return;
    }
    request(exchange, server, message, method);
  }

  private static String key(HttpExchange exchange, JsonNode id) {
    String session = exchange.getRequestHeaders().getFirst("mcp-session-id");
    return exchange.getRequestURI().getPath() + " " + session + " " + id;
  }

  private void cancel(HttpExchange exchange, JsonNode params) {
    Forwarded found = open.remove(key(exchange, params.path("requestId")));
    if (found != null) {
      found.session().cancel(found.request().id(), params.path("reason").asText("cancelled"));
      found
          .request()
          .answer()
          .completeExceptionally(McpException.unknown("the request was cancelled"));
    }
  }

  private void request(HttpExchange exchange, McpServer server, JsonNode message, String method)
      throws IOException, InterruptedException {
    JsonNode id = message.path("id");
    try {
      switch (method) {
        case "initialize" -> {
          ObjectNode result = handshake(server.session().initialized());
          exchange.getResponseHeaders().set("Mcp-Session-Id", UUID.randomUUID().toString());
          json(exchange, 200, result(id, result));
        }
        case "ping" -> json(exchange, 200, result(id, Json.mapper().createObjectNode()));
        default -> forward(exchange, server, message, method);
      }
    } catch (McpException e) {
      json(exchange, 200, error(id, FAILED, String.valueOf(e.getMessage())));
    }
  }

  private static ObjectNode handshake(JsonNode answer) {
    ObjectNode result = answer.deepCopy();
    ObjectNode capabilities = result.putObject("capabilities");
    for (String name : CAPABILITIES) {
      if (answer.path("capabilities").path(name).isObject()) {
        capabilities.putObject(name);
      }
    }
    return result;
  }

  private void forward(HttpExchange exchange, McpServer server, JsonNode message, String method)
      throws IOException, McpException, InterruptedException {
    JsonNode id = message.path("id");
    JsonNode params = message.path("params");
    boolean call = method.equals("tools/call");
    if (call && server.isReserved(params.path("name").asText())) {
      throw McpException.refused("the tool '%s' is not for agents".formatted(McpServer.RESTORE));
    }
    McpSession session = server.session();
    McpResponseStream stream =
        call && accepts(exchange, "text/event-stream")
            ? McpResponseStream.open(exchange, params.path("_meta").path("progressToken"))
            : null;
    McpSession.OpenRequest request =
        session.send(method, params, stream == null ? progress -> {} : stream::progress);
    String key = key(exchange, id);
    open.put(key, new Forwarded(session, request));
    ObjectNode response;
    try {
      if (stream != null) {
        stream.follow(request.answer(), server.timeout());
        if (!request.answer().isDone()) {
          throw session.timedOut(request, server.timeout());
        }
      }
      JsonNode answer = session.await(request, server.timeout());
      response = answer.deepCopy();
      response.set("id", id);
      if (method.equals("tools/list")) {
        removeReserved(response.path("result").path("tools"), server);
      }
    } catch (McpException e) {
      response = error(id, FAILED, String.valueOf(e.getMessage()));
    } finally {
      open.remove(key);
    }
    if (stream == null) {
      json(exchange, 200, response);
    } else {
      stream.end(response);
    }
  }

  private static void removeReserved(JsonNode tools, McpServer server) {
    if (tools instanceof ArrayNode all) {
      for (Iterator<JsonNode> each = all.iterator(); each.hasNext(); ) {
        if (server.isReserved(each.next().path("name").asText())) {
          each.remove();
        }
      }
    }
  }

  private static boolean accepts(HttpExchange exchange, String type) {
    @Nullable List<String> accept = exchange.getRequestHeaders().get("accept");
    return accept != null && String.join(",", accept).contains(type);
  }

  private static ObjectNode envelope(JsonNode id) {
    ObjectNode message = Json.mapper().createObjectNode().put("jsonrpc", "2.0");
    message.set("id", id);
    return message;
  }

  private static ObjectNode result(JsonNode id, JsonNode result) {
    ObjectNode message = envelope(id);
    message.set("result", result);
    return message;
  }

  private static ObjectNode error(JsonNode id, int code, String text) {
    ObjectNode message = envelope(id);
    message.putObject("error").put("code", code).put("message", text);
    return message;
  }

  private static void refuse(HttpExchange exchange, int status, int code, String text)
      throws IOException {
    json(exchange, status, error(Json.mapper().nullNode(), code, text));
  }

  private static void json(HttpExchange exchange, int status, ObjectNode message)
      throws IOException {
    byte[] bytes = Json.bytes(message);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}
