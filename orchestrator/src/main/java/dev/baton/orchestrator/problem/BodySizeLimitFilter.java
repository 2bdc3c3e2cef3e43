/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import dev.baton.server.ProblemResponseWriter;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
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
      ProblemResponseWriter.refuse(request, document.status(), document);
    }
  }

  private static boolean isGrpc(HttpServerRequest request) {
    String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    return type != null && type.startsWith("application/grpc");
  }
}
