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
import dev.baton.server.WebRequestFilter;
import dev.baton.store.config.StoreConfig;
import io.quarkus.vertx.http.runtime.filters.Filters;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.List;

/** Rejects requests from web pages of another origin than the configured hosts. */
@ApplicationScoped
class StoreWebRequestFilter {
  private final WebRequestFilter filter;

  StoreWebRequestFilter(StoreConfig config) {
    try {
      filter =
          new WebRequestFilter(
              new WebRequestPolicy(config.http().allowedHosts().orElse(List.of())),
              StoreWebRequestFilter::problem);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("baton.http.allowed-hosts is " + e.getMessage(), e);
    }
  }

  void register(@Observes Filters filters) {
    filter.register(filters);
  }

  private static ObjectNode problem(WebRequestPolicy.Refused refused, int status, String path) {
    String title =
        switch (refused.refusal()) {
          case FOREIGN_HOST -> "Misdirected Request";
          case CROSS_SITE -> "Forbidden";
          case CONTENT_TYPE -> "Unsupported Media Type";
        };
    return Json.mapper()
        .createObjectNode()
        .put("type", "about:blank")
        .put("title", title)
        .put("status", status)
        .put("detail", refused.detail())
        .put("instance", path);
  }
}
