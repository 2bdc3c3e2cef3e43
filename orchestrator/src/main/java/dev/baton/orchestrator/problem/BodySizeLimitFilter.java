/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import dev.baton.protocol.json.Json;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Rejects a body whose Content-Length is too large before it is read. The server's own limit
 * applies to a body without a length, which is checked again after reading.
 */
@ApplicationScoped
class BodySizeLimitFilter {
  private static final int PRIORITY = 500;

  /** Batches of runs, chunks of packs, manifests. */
  private static final Pattern LARGE =
      Pattern.compile("/runs/(batch|[^/]+/(packs|checkpoints/[^/]+))");

  void register(@Observes Filters filters) {
    filters.register(BodySizeLimitFilter::check, PRIORITY);
  }

  private static void check(RoutingContext context) {
    HttpServerRequest request = context.request();
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    int limit =
        LARGE.matcher(request.path()).matches() ? JsonBodyReader.BATCH_LIMIT : JsonBodyReader.LIMIT;
    if (length == null || isGrpc(request)) {
      context.next();
      return;
    }
    try {
      JsonBodyReader.check(Long.parseLong(length), limit);
      context.next();
    } catch (ProblemException tooLarge) {
      ProblemDocument document = tooLarge.document(context.normalizedPath());
      // The rest of the body is not read, so the connection is closed after the response. HTTP/2
      // resets the stream instead and has no such header.
      if (request.version() != HttpVersion.HTTP_2) {
        request.response().putHeader(HttpHeaders.CONNECTION, "close");
      }
      request
          .response()
          .setStatusCode(document.status())
          .putHeader(HttpHeaders.CONTENT_TYPE, ProblemDocument.MEDIA_TYPE)
          .end(new String(Json.bytes(document), StandardCharsets.UTF_8));
    }
  }

  private static boolean isGrpc(HttpServerRequest request) {
    String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    return type != null && type.startsWith("application/grpc");
  }
}
