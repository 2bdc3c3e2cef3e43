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
 * Sets the headers that every answer has: no cache may keep it, since a run's state is old at once,
 * no proxy may buffer a stream, and JSON that is written piece by piece is compressed like JSON
 * that is written at once.
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
          // A workflow's text has the type that whoever put it has given.
          headers.set("X-Content-Type-Options", "nosniff");
          if (type != null && type.startsWith("application/json")) {
            // Quarkus decides by the type before a streamed answer has one, and then against it.
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
