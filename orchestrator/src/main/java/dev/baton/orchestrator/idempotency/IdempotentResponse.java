/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.idempotency;

import dev.baton.protocol.json.Json;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.jspecify.annotations.Nullable;

/**
 * A response as it is sent.
 *
 * @param body JSON
 * @param replayed whether it was stored by an earlier request
 */
public record IdempotentResponse(
    int status, @Nullable String location, String body, boolean replayed) {

  public static IdempotentResponse fresh(int status, @Nullable String location, Object body) {
    return new IdempotentResponse(
        status,
        location,
        new String(Json.bytes(body), java.nio.charset.StandardCharsets.UTF_8),
        false);
  }

  public Response response() {
    Response.ResponseBuilder response =
        Response.status(status).type(MediaType.APPLICATION_JSON).entity(body);
    if (location != null) {
      response.header(HttpHeaders.LOCATION, location);
    }
    if (replayed) {
      response.header(IdempotencyKey.REPLAYED, "true");
    }
    return response.build();
  }
}
