/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.workload;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.chaos.history.ChaosHistoryStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Client of the orchestrators' API; sends each request to the next orchestrator. A request ends
 * within its bound, possibly with an exception. Thread-safe.
 */
final class ChaosApiClient implements AutoCloseable {
  private static final Duration BOUND = Duration.ofSeconds(15);

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final List<String> bases;
  private final String authorization;
  private final AtomicInteger next = new AtomicInteger();

  ChaosApiClient(List<String> bases, String key) {
    this.bases = List.copyOf(bases);
    this.authorization = "Bearer " + key;
  }

  record Reply(int status, JsonNode body) {}

  Reply get(String path) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(uri(path)).GET());
  }

  Reply post(String path, String type, String key, String body)
      throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(uri(path))
            .header("Content-Type", type)
            .header("Idempotency-Key", key)
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private URI uri(String path) {
    return URI.create(bases.get(Math.floorMod(next.getAndIncrement(), bases.size())) + path);
  }

  private Reply send(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> response =
        http.send(
            request.timeout(BOUND).header("Authorization", authorization).build(),
            HttpResponse.BodyHandlers.ofString());
    boolean json = response.headers().firstValue("Content-Type").orElse("").contains("json");
    return new Reply(
        response.statusCode(),
        json
            ? ChaosHistoryStore.JSON.readTree(response.body())
            : ChaosHistoryStore.JSON.createObjectNode());
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
