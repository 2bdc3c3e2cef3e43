/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.baton.protocol.net.BearerCredential;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * Calls the parts of the orchestrator's REST API that a training run needs. Every call is bounded
 * by 30 s. Not thread-safe.
 */
final class TrainingApiClient implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final URI server;
  private final String authorization;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(PATIENCE).build();

  TrainingApiClient(String orchestratorUrl, String apiKey) {
    server = URI.create(orchestratorUrl);
    authorization = BearerCredential.header(apiKey);
  }

  /**
   * The state of a run.
   *
   * @param steps the paths of the steps that run or wait now
   * @param failure the code and message of its failure; empty if it has not failed
   */
  record RunStatus(String status, int epoch, Set<String> steps, String failure) {
    boolean isCompleted() {
      return status.equals("completed");
    }

    boolean isEnded() {
      return Set.of("completed", "failed", "cancelled", "lost").contains(status);
    }
  }

  /** Stores a workflow, starts a run of it and returns the run's id. */
  String start(String yaml, Map<String, String> input) throws IOException, InterruptedException {
    JsonNode stored = post("/workflows", "application/yaml", yaml);
    String workflow = stored.path("name").asText() + "@" + stored.path("hash").asText();
    Map<String, Object> body = Map.of("workflow", workflow, "input", input);
    return post("/runs", "application/json", JSON.writeValueAsString(body)).path("id").asText();
  }

  RunStatus status(String run) throws IOException, InterruptedException {
    JsonNode found = get("/runs/" + run);
    JsonNode error = found.path("error");
    return new RunStatus(
        found.path("status").asText(),
        found.path("epoch").asInt(),
        StreamSupport.stream(found.path("current_steps").spliterator(), false)
            .map(JsonNode::asText)
            .collect(Collectors.toUnmodifiableSet()),
        error.isObject()
            ? error.path("code").asText() + ": " + error.path("message").asText()
            : "");
  }

  /**
   * Returns the process that executes a run, while it exists.
   *
   * @param epoch the lowest epoch that matches
   */
  Optional<ProcessHandle> runner(String run, int epoch) throws IOException, InterruptedException {
    for (JsonNode runner : get("/runners").path("runners")) {
      if (run.equals(runner.path("run").asText())
          && runner.path("epoch").asInt() >= epoch
          && runner.path("state").asText().equals("running")) {
        return ProcessHandle.of(runner.path("pid").asLong());
      }
    }
    return Optional.empty();
  }

  @Override
  public void close() {
    http.shutdownNow();
    http.close();
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    return send(request(path).GET().build());
  }

  private JsonNode post(String path, String type, String body)
      throws IOException, InterruptedException {
    return send(
        request(path).header("Content-Type", type).POST(BodyPublishers.ofString(body)).build());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(server.resolve(path))
        .timeout(PATIENCE)
        .header(BearerCredential.HEADER, authorization);
  }

  private JsonNode send(HttpRequest request) throws IOException, InterruptedException {
    HttpResponse<byte[]> answer = http.send(request, BodyHandlers.ofByteArray());
    if (answer.statusCode() / 100 != 2) {
      throw new IOException(
          "%s %s: status %d: %s"
              .formatted(
                  request.method(),
                  request.uri(),
                  answer.statusCode(),
                  new String(answer.body(), StandardCharsets.UTF_8)));
    }
    return JSON.readTree(answer.body());
  }
}
