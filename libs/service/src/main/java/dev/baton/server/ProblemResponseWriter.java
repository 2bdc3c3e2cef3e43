/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import dev.baton.protocol.json.Json;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.nio.charset.StandardCharsets;

/** Writes RFC 9457 problems as responses to requests that no resource handles. */
public final class ProblemResponseWriter {
  private static final String MEDIA_TYPE = "application/problem+json";

  private ProblemResponseWriter() {}

  /**
   * Refuses a request whose body is not read, so the connection is closed after the response.
   * HTTP/2 resets the stream instead.
   *
   * @param problem written as JSON
   */
  public static void refuse(HttpServerRequest request, int status, Object problem) {
    if (request.version() != HttpVersion.HTTP_2) {
      request.response().putHeader(HttpHeaders.CONNECTION, "close");
    }
    request
        .response()
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, MEDIA_TYPE)
        .end(new String(Json.bytes(problem), StandardCharsets.UTF_8));
  }
}
