/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import dev.baton.protocol.json.Json;
import java.io.IOException;

/** Writes whole responses. */
final class GatewayResponses {
  private GatewayResponses() {}

  static void send(HttpExchange exchange, int status, ObjectNode body) throws IOException {
    send(exchange, status, Json.bytes(body));
  }

  /** Sends the body as JSON, unless a content type has been set. */
  static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
    if (exchange.getResponseHeaders().getFirst("content-type") == null) {
      exchange.getResponseHeaders().set("content-type", "application/json");
    }
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    if (body.length > 0) {
      exchange.getResponseBody().write(body);
    }
    exchange.close();
  }
}
