/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.protocol.net.WebRequestPolicy;
import dev.baton.server.WebRequestFilter;
import io.quarkus.vertx.http.runtime.filters.Filters;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.ArrayList;
import java.util.List;

/**
 * Rejects requests of web pages of other origins, before {@link BodySizeLimitFilter} and any route.
 */
@ApplicationScoped
class OrchestratorWebRequestFilter {
  private final WebRequestFilter filter;

  OrchestratorWebRequestFilter(OrchestratorConfig config) {
    List<String> hosts = new ArrayList<>(config.http().allowedHosts().orElse(List.of()));
    // The hosts under which runners and stores reach this service.
    config.orchestratorUrl().forEach(url -> WebRequestPolicy.host(url).ifPresent(hosts::add));
    filter =
        new WebRequestFilter(
            new WebRequestPolicy(hosts),
            (refused, status, path) -> problem(refused).document(path));
  }

  void register(@Observes Filters filters) {
    filter.register(filters);
  }

  private static ProblemException problem(WebRequestPolicy.Refused refused) {
    ProblemKind kind =
        switch (refused.refusal()) {
          case FOREIGN_HOST -> ProblemKind.MISDIRECTED;
          case CROSS_SITE -> ProblemKind.CROSS_SITE;
          case CONTENT_TYPE -> ProblemKind.UNSUPPORTED_MEDIA_TYPE;
        };
    return new ProblemException(kind, refused.detail());
  }
}
