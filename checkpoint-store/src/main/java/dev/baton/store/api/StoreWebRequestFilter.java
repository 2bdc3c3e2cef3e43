/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.net.WebRequestPolicy;
import dev.baton.store.config.StoreConfig;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Rejects requests from web pages of another origin before any route handles them: REST, health,
 * metrics, documents and gRPC. {@link WebRequestPolicy} decides.
 */
@ApplicationScoped
class StoreWebRequestFilter {
  private static final int PRIORITY = 1_000;
  private static final String FETCH_SITE = "Sec-Fetch-Site";

  private final WebRequestPolicy policy;

  StoreWebRequestFilter(StoreConfig config) {
    try {
      policy = new WebRequestPolicy(config.http().allowedHosts().orElse(List.of()));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("baton.http.allowed-hosts is " + e.getMessage(), e);
    }
  }

  void register(@Observes Filters filters) {
    filters.register(this::check, PRIORITY);
  }

  private void check(RoutingContext context) {
    policy
        .check(headers(context.request()))
        .ifPresentOrElse(refused -> refuse(context, refused), context::next);
  }

  private static void refuse(RoutingContext context, WebRequestPolicy.Refused refused) {
    int status =
        switch (refused.refusal()) {
          case FOREIGN_HOST -> 421;
          case CROSS_SITE -> 403;
          case CONTENT_TYPE -> 415;
        };
    String title =
        switch (refused.refusal()) {
          case FOREIGN_HOST -> "Misdirected Request";
          case CROSS_SITE -> "Forbidden";
          case CONTENT_TYPE -> "Unsupported Media Type";
        };
    ObjectNode problem =
        Json.mapper()
            .createObjectNode()
            .put("type", "about:blank")
            .put("title", title)
            .put("status", status)
            .put("detail", refused.detail())
            .put("instance", context.normalizedPath());
    HttpServerRequest request = context.request();
    if (request.version() != HttpVersion.HTTP_2) {
      request.response().putHeader(HttpHeaders.CONNECTION, "close");
    }
    request
        .response()
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/problem+json")
        .end(new String(Json.bytes(problem), StandardCharsets.UTF_8));
  }

  private static WebRequestPolicy.Headers headers(HttpServerRequest request) {
    boolean http2 = request.version() == HttpVersion.HTTP_2;
    HostAndPort authority = request.authority();
    return new WebRequestPolicy.Headers(
        request.method().name(),
        http2,
        !http2
            ? request.headers().getAll(HttpHeaders.HOST)
            : authority == null ? List.of() : List.of(authority.toString()),
        request.localAddress() == null ? null : request.localAddress().hostAddress(),
        request.headers().getAll(HttpHeaders.ORIGIN),
        request.headers().getAll(FETCH_SITE),
        request.getHeader(HttpHeaders.CONTENT_TYPE));
  }
}
