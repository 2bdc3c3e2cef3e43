/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Decides whether, and when, a request that a busy server has refused is sent again. */
final class BusyResponse {
  private static final String TYPE = "/problems/busy";
  private static final Duration DEFAULT = Duration.ofSeconds(1);
  private static final long LONGEST_SECONDS = 10;

  private BusyResponse() {}

  /**
   * Returns the pause before the next try: {@code Retry-After} in seconds, 1 to 10.
   *
   * @return zero for a response other than 503 with the problem {@code busy}
   */
  static Duration pause(HttpResponse<byte[]> response) {
    if (response.statusCode() != 503 || !isBusy(response.body())) {
      return Duration.ZERO;
    }
    String after = response.headers().firstValue("Retry-After").orElse("");
    // A date is allowed too; the orchestrator sends seconds.
    return after.matches("[0-9]{1,6}")
        ? Duration.ofSeconds(Math.clamp(Long.parseLong(after), 1, LONGEST_SECONDS))
        : DEFAULT;
  }

  private static boolean isBusy(byte[] body) {
    try {
      JsonNode problem = Json.mapper().readTree(body);
      return problem != null && problem.path("type").asText("").endsWith(TYPE);
    } catch (IOException e) {
      return false; // Of a proxy: not a problem document.
    }
  }

  /** A repeated request has the same effect as one. */
  static boolean isRepeatable(HttpRequest request) {
    return switch (request.method()) {
      case "GET", "PUT", "DELETE" -> true;
      default -> request.headers().firstValue("Idempotency-Key").isPresent();
    };
  }
}
