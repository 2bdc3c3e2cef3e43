/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.upstream;

import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The endpoint of a form.
 *
 * @param baseUrl with or without {@code /v1} at its end
 * @param keyReference reference of its key; null for an endpoint without one
 * @param headers further headers of each request; they replace those of the agent
 */
public record ModelUpstream(
    URI baseUrl, @Nullable String keyReference, Map<String, String> headers) {
  public ModelUpstream {
    headers = Map.copyOf(headers);
    String scheme = baseUrl.getScheme();
    if (!("http".equals(scheme) || "https".equals(scheme)) || baseUrl.getHost() == null) {
      throw new IllegalArgumentException(
          "model endpoint '" + baseUrl + "' is not an http or https URL");
    }
  }

  /** The URL of a path that begins with {@code /v1/}. */
  URI url(String path) {
    String base = baseUrl.toString().replaceFirst("/+$", "");
    return URI.create(base.endsWith("/v1") ? base + path.substring("/v1".length()) : base + path);
  }
}
