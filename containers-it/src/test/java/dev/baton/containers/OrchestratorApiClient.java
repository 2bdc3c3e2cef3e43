/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.containers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Sends requests to an orchestrator; an answer that is not a success is an error. */
final class OrchestratorApiClient {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration ANSWER_BOUND = Duration.ofSeconds(60);

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String base;
  private final String key;

  OrchestratorApiClient(String base, String key) {
    this.base = base;
    this.key = key;
  }

  /** Stores a workflow. */
  void store(String workflow) throws IOException, InterruptedException {
    text(post("/workflows", "application/yaml", workflow));
  }

  /** Starts a run and returns its id. */
  String start(String workflow) throws IOException, InterruptedException {
    String body = JSON.createObjectNode().put("workflow", workflow).toString();
    return JSON.readTree(text(post("/runs", "application/json", body))).path("id").asText();
  }

  JsonNode run(String run) throws IOException, InterruptedException {
    return JSON.readTree(text(request("/runs/" + run)));
  }

  /** Returns the steps of the run's {@code step_completed} events, in the order of the log. */
  List<String> completedSteps(String run) throws IOException, InterruptedException {
    List<String> steps = new ArrayList<>();
    for (JsonNode event :
        JSON.readTree(text(request("/runs/" + run + "/events?limit=1000"))).path("events")) {
      if (event.path("type").asText().equals("step_completed")) {
        steps.add(event.path("data").path("step").asText());
      }
    }
    return steps;
  }

  /** Reads the log of a run until the run has ended. */
  List<JsonNode> followLog(String run, Consumer<JsonNode> seen)
      throws IOException, InterruptedException {
    HttpResponse<Stream<String>> response =
        http.send(
            request("/runs/" + run + "/logs?follow=true").build(),
            HttpResponse.BodyHandlers.ofLines());
    List<JsonNode> lines = new ArrayList<>();
    try (Stream<String> body = response.body()) {
      check(response, "");
      for (String line : (Iterable<String>) body::iterator) {
        if (!line.isBlank()) {
          JsonNode read = JSON.readTree(line);
          lines.add(read);
          seen.accept(read);
        }
      }
    }
    return lines;
  }

  private HttpRequest.Builder post(String path, String type, String body) {
    return request(path)
        .header("Content-Type", type)
        .POST(HttpRequest.BodyPublishers.ofString(body));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(base + path))
        .header("Authorization", "Bearer " + key)
        .timeout(ANSWER_BOUND);
  }

  private String text(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> response =
        http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    check(response, response.body());
    return response.body();
  }

  private static void check(HttpResponse<?> response, String body) throws IOException {
    if (response.statusCode() >= 300) {
      throw new IOException(
          "%s: %d %s".formatted(response.request().uri(), response.statusCode(), body));
    }
  }
}
