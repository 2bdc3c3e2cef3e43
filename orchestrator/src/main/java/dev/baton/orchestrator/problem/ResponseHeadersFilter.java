/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

/**
 * Sets the headers of all responses: caches must not store them, since a run's state changes at any
 * time, proxies must not buffer streams, and streamed JSON is compressed like other JSON.
 */
@ApplicationScoped
class ResponseHeadersFilter {
  private static final int PRIORITY = 900;
  private static final String UNBUFFERED = "X-Accel-Buffering";

  void register(@Observes Filters filters) {
    filters.register(ResponseHeadersFilter::watch, PRIORITY);
  }

  private static void watch(RoutingContext context) {
    context.addHeadersEndHandler(
        done -> {
          MultiMap headers = context.response().headers();
          String type = headers.get(HttpHeaders.CONTENT_TYPE);
          if (type != null && type.startsWith("application/grpc")) {
            return;
          }
          if (!headers.contains(HttpHeaders.CACHE_CONTROL)) {
            headers.set(HttpHeaders.CACHE_CONTROL, "no-store");
          }
          // A workflow's text is served with the media type that its uploader declared.
          headers.set("X-Content-Type-Options", "nosniff");
          if (type != null && type.startsWith("application/json")) {
            // Quarkus decides before a streamed response has a type, and then disables compression.
            if ("identity".equals(headers.get(HttpHeaders.CONTENT_ENCODING))) {
              headers.remove(HttpHeaders.CONTENT_ENCODING);
            }
          }
          if (type != null
              && (type.startsWith("text/event-stream")
                  || type.startsWith("application/x-ndjson"))) {
            headers.set(UNBUFFERED, "no");
          }
        });
    context.next();
  }
}
