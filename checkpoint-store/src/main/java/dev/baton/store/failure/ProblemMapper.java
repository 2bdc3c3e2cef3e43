/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.failure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Maps failures of REST requests to RFC 9457 problems. */
final class ProblemMapper {

  @ServerExceptionMapper
  Response map(StoreRequestException failure, UriInfo uri) {
    int status = FailureTranslator.httpStatus(failure.kind());
    ObjectNode problem = Json.mapper().createObjectNode();
    problem.put("type", "about:blank");
    problem.put("title", Response.Status.fromStatusCode(status).getReasonPhrase());
    problem.put("status", status);
    problem.put("detail", failure.getMessage());
    problem.put("instance", uri.getRequestUri().getRawPath());
    return Response.status(status)
        .type("application/problem+json")
        .entity(Json.bytes(problem))
        .build();
  }
}
