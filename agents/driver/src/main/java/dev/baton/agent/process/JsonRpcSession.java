/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentListener;
import dev.baton.agent.AgentProcess;
import dev.baton.protocol.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** A session with an agent that speaks JSON-RPC in lines. */
public abstract class JsonRpcSession extends ProcessAgentSession {
  private static final int METHOD_NOT_FOUND = -32_601;

  private final Map<Long, PendingRequest> pending = new LinkedHashMap<>();
  private long requests;

  /** What happens with the response of a request. */
  private record PendingRequest(
      String method, Consumer<JsonNode> result, Consumer<JsonNode> error) {}

  protected JsonRpcSession(AgentProcess process, AgentListener listener) {
    super(process, listener);
  }

  /** A notification of the agent. */
  protected abstract void notified(String method, JsonNode params);

  /** A request of the agent: answer with {@link #respond} or {@link #refuse}. */
  protected abstract void requested(JsonNode id, String method, JsonNode params);

  /** Sends a request; an error response ends the session as failed. */
  protected final void request(String method, ObjectNode params, Consumer<JsonNode> result) {
    request(method, params, result, error -> failed(method, error));
  }

  /** Sends a request. */
  protected final void request(
      String method, ObjectNode params, Consumer<JsonNode> result, Consumer<JsonNode> error) {
    long id = ++requests;
    pending.put(id, new PendingRequest(method, result, error));
    ObjectNode message = envelope().put("id", id).put("method", method);
    message.set("params", params);
    send(message);
  }

  private void failed(String method, JsonNode error) {
    endNow(AgentEnd.Kind.FAILED, method + ": " + error.path("message").asText());
  }

  /** Sends a notification. */
  protected final void notify(String method, ObjectNode params) {
    ObjectNode message = envelope().put("method", method);
    message.set("params", params);
    send(message);
  }

  /** Answers a request of the agent. */
  protected final void respond(JsonNode id, ObjectNode result) {
    ObjectNode message = envelope();
    message.set("id", id);
    message.set("result", result);
    send(message);
  }

  /** Answers a request of the agent that is not supported. */
  protected final void refuse(JsonNode id, String method) {
    ObjectNode message = envelope();
    message.set("id", id);
    message
        .putObject("error")
        .put("code", METHOD_NOT_FOUND)
        .put("message", method + " is not supported");
    send(message);
  }

  protected static ObjectNode object() {
    return Json.mapper().createObjectNode();
  }

  private static ObjectNode envelope() {
    return object().put("jsonrpc", "2.0");
  }

  @Override
  protected final void line(JsonNode line) {
    JsonNode method = line.path("method");
    if (method.isTextual()) {
      if (line.has("id")) {
        requested(line.path("id"), method.textValue(), line.path("params"));
      } else {
        notified(method.textValue(), line.path("params"));
      }
      return;
    }
    PendingRequest request = pending.remove(line.path("id").asLong(-1));
    if (request == null) {
      unknown("response", line.toString());
    } else if (line.has("error")) {
      request.error().accept(line.path("error"));
    } else {
      request.result().accept(line.path("result"));
    }
  }
}
