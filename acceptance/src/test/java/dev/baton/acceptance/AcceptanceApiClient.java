/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.net.BearerCredential;
import dev.baton.protocol.tls.TlsSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Calls the REST API as an external program does, and checks every response against the API
 * document.
 */
final class AcceptanceApiClient {
  static final ObjectMapper JSON = new ObjectMapper();

  private static final ApiContract CONTRACT = ApiContract.committed();

  private final HttpClient http;
  private final String base;
  private final String key;
  private final boolean checked;

  /**
   * @param key an API key of the service; empty for a service that takes none
   */
  AcceptanceApiClient(String base, String key) {
    this(base, key, TlsSettings.NONE);
  }

  /** A client of a service with TLS. */
  AcceptanceApiClient(String base, String key, TlsSettings tls) {
    this(base, key, tls, true);
  }

  private AcceptanceApiClient(String base, String key, TlsSettings tls, boolean checked) {
    HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5));
    if (base.startsWith("https:")) {
      builder.sslContext(tls.context());
    }
    http = builder.build();
    this.base = base;
    this.key = key;
    this.checked = checked;
  }

  /** A client of a service of another version, whose responses the API document does not cover. */
  static AcceptanceApiClient unchecked(String base, String key) {
    return new AcceptanceApiClient(base, key, TlsSettings.NONE, false);
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path));
    if (!key.isEmpty()) {
      request.header(BearerCredential.HEADER, BearerCredential.header(key));
    }
    return request;
  }

  record Answer(int status, String contentType, JsonNode body) {}

  Answer get(String path) throws IOException, InterruptedException {
    return send(request(path).GET());
  }

  /**
   * After an outage the checkpoint-store may lag behind the run's view; it then answers that the
   * request must be repeated.
   */
  private Answer getOnceReady(String path) {
    AtomicReference<@Nullable Answer> answer = new AtomicReference<>();
    Await.until(
        path + " is answered",
        Duration.ofSeconds(30),
        () -> {
          answer.set(get(path));
          return Objects.requireNonNull(answer.get()).status() != 503;
        });
    return Objects.requireNonNull(answer.get());
  }

  Answer post(String path, String contentType, String body)
      throws IOException, InterruptedException {
    return send(
        request(path)
            .header("Content-Type", contentType)
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  Answer post(String path, JsonNode body) throws IOException, InterruptedException {
    return post(path, "application/json", body.toString());
  }

  /** Like post, but safe to repeat: the idempotency key deduplicates the request. */
  Answer postOnce(String path, String key, JsonNode body) throws IOException, InterruptedException {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key)
            .POST(HttpRequest.BodyPublishers.ofString(body.toString())));
  }

  Answer delete(String path) throws IOException, InterruptedException {
    return send(request(path).header("Content-Type", "application/json").DELETE());
  }

  private Answer send(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> response =
        http.send(
            request.timeout(Duration.ofSeconds(30)).build(), HttpResponse.BodyHandlers.ofString());
    String type = response.headers().firstValue("Content-Type").orElse("");
    if (checked) {
      CONTRACT.check(
          response.request().method(),
          response.request().uri().getRawPath(),
          response.statusCode(),
          type,
          response.body());
    }
    JsonNode body =
        response.body().isBlank() || !type.contains("json")
            ? JSON.createObjectNode()
            : JSON.readTree(response.body());
    return new Answer(response.statusCode(), type, body);
  }

  /** Starts a run of an existing workflow and returns its id. */
  String start(String workflow, ObjectNode input) throws IOException, InterruptedException {
    ObjectNode body = JSON.createObjectNode().put("workflow", workflow);
    body.set("input", input);
    Answer answer = post("/runs", body);
    if (answer.status() != 201) {
      throw new AssertionError("POST /runs: " + answer);
    }
    return answer.body().path("id").asText();
  }

  void push(String definition) throws IOException, InterruptedException {
    Answer answer = post("/workflows", "application/yaml", definition);
    if (answer.status() >= 300) {
      throw new AssertionError("POST /workflows: " + answer);
    }
  }

  JsonNode run(String run) throws IOException, InterruptedException {
    Answer answer = get("/runs/" + run);
    if (answer.status() != 200) {
      throw new IOException("GET /runs/" + run + ": " + answer);
    }
    return answer.body();
  }

  List<JsonNode> events(String run) throws IOException, InterruptedException {
    List<JsonNode> all = new ArrayList<>();
    long after = 0;
    while (true) {
      Answer answer = getOnceReady("/runs/" + run + "/events?limit=1000&after=" + after);
      if (answer.status() != 200) {
        throw new IOException("events of " + run + ": " + answer);
      }
      JsonNode page = answer.body().path("events");
      page.forEach(all::add);
      if (page.size() < 1000) {
        return all;
      }
      after = page.get(page.size() - 1).path("position").asLong();
    }
  }

  /** Returns the types of the run's events, in the order of the log. */
  List<String> types(String run) throws IOException, InterruptedException {
    return events(run).stream().map(event -> event.path("type").asText()).toList();
  }

  /** Returns the number of the run's events of this type. */
  long count(String run, String type) throws IOException, InterruptedException {
    return types(run).stream().filter(type::equals).count();
  }

  /** Waits until the run has this status and returns it. */
  JsonNode awaitStatus(String run, String status, Duration bound)
      throws IOException, InterruptedException {
    Await.until(
        "run " + run + " is " + status,
        bound,
        () -> run(run).path("status").asText().equals(status));
    return run(run);
  }

  /** Waits until the step, named by its id, has completed in the run. */
  void awaitCompletion(String run, String step, Duration bound)
      throws IOException, InterruptedException {
    Await.until(
        "step " + step + " of run " + run + " has completed",
        bound,
        () ->
            events(run, "step_completed").stream()
                .anyMatch(data -> data.path("step").asText().endsWith(step)));
  }

  /** Approves the run's waiting approval; returns false if none waits. */
  boolean approve(String run) throws IOException, InterruptedException {
    for (JsonNode waiting : run(run).path("waiting")) {
      ObjectNode answer = JSON.createObjectNode();
      answer.putObject("answer").put("approved", true);
      return post("/approvals/" + waiting.path("approval").asText(), answer).status() < 300;
    }
    return false;
  }

  /** Returns the data of the run's events of one type. */
  List<JsonNode> events(String run, String type) throws IOException, InterruptedException {
    return events(run).stream()
        .filter(event -> event.path("type").asText().equals(type))
        .map(event -> event.path("data"))
        .toList();
  }

  static @Nullable JsonNode first(List<JsonNode> events, String type) {
    return events.stream()
        .filter(e -> e.path("type").asText().equals(type))
        .findFirst()
        .orElse(null);
  }
}
