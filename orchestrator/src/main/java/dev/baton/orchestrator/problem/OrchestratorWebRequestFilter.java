/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.net.WebRequestPolicy;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Rejects requests of web pages of other origins before any route: REST, events, health, metrics,
 * documents and gRPC. {@link WebRequestPolicy} decides.
 */
@ApplicationScoped
class OrchestratorWebRequestFilter {
  /** Runs before {@link BodySizeLimitFilter}. */
  private static final int PRIORITY = 1_000;

  private static final String FETCH_SITE = "Sec-Fetch-Site";

  private final WebRequestPolicy policy;

  OrchestratorWebRequestFilter(OrchestratorConfig config) {
    List<String> hosts = new ArrayList<>(config.http().allowedHosts().orElse(List.of()));
    // The hosts under which runners and stores reach this service.
    config.orchestratorUrl().forEach(url -> WebRequestPolicy.host(url).ifPresent(hosts::add));
    policy = new WebRequestPolicy(hosts);
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
    ProblemKind kind =
        switch (refused.refusal()) {
          case FOREIGN_HOST -> ProblemKind.MISDIRECTED;
          case CROSS_SITE -> ProblemKind.CROSS_SITE;
          case CONTENT_TYPE -> ProblemKind.UNSUPPORTED_MEDIA_TYPE;
        };
    ProblemDocument document =
        new ProblemException(kind, refused.detail()).document(context.normalizedPath());
    HttpServerRequest request = context.request();
    // The body is not read. HTTP/2 resets the stream instead and has no such header.
    if (request.version() != HttpVersion.HTTP_2) {
      request.response().putHeader(HttpHeaders.CONNECTION, "close");
    }
    request
        .response()
        .setStatusCode(document.status())
        .putHeader(HttpHeaders.CONTENT_TYPE, ProblemDocument.MEDIA_TYPE)
        .end(new String(Json.bytes(document), StandardCharsets.UTF_8));
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
