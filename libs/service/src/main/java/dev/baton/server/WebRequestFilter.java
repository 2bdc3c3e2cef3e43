/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import dev.baton.protocol.net.WebRequestPolicy;
import dev.baton.protocol.net.WebRequestPolicy.Refused;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/**
 * Rejects requests from web pages of other origins before any route handles them: REST, events,
 * health, metrics, documents and gRPC. {@link WebRequestPolicy} decides; the service words the RFC
 * 9457 problem. Thread-safe.
 */
public final class WebRequestFilter {
  /** Runs before every other filter of the services. */
  public static final int PRIORITY = 1_000;

  private static final String FETCH_SITE = "Sec-Fetch-Site";

  /** Words a refusal. */
  @FunctionalInterface
  public interface RefusalMapper {
    /**
     * Returns the problem document, which is written as JSON.
     *
     * @param status the HTTP status of the response
     * @param path the normalized path of the request
     */
    Object problem(Refused refused, int status, String path);
  }

  private final WebRequestPolicy policy;
  private final RefusalMapper mapper;

  public WebRequestFilter(WebRequestPolicy policy, RefusalMapper mapper) {
    this.policy = policy;
    this.mapper = mapper;
  }

  /** Adds this filter to those of the service; call once, at start. */
  public void register(Filters filters) {
    filters.register(this::check, PRIORITY);
  }

  private void check(RoutingContext context) {
    policy
        .check(headers(context.request()))
        .ifPresentOrElse(refused -> refuse(context, refused), context::next);
  }

  private void refuse(RoutingContext context, Refused refused) {
    int status =
        switch (refused.refusal()) {
          case FOREIGN_HOST -> 421;
          case CROSS_SITE -> 403;
          case CONTENT_TYPE -> 415;
        };
    ProblemResponseWriter.refuse(
        context.request(), status, mapper.problem(refused, status, context.normalizedPath()));
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
