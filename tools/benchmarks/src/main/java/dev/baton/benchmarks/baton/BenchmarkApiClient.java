/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.net.BearerCredential;
import dev.baton.protocol.tls.TlsSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Client of the few REST calls to the orchestrator that the benchmarks need. Thread-safe. */
final class BenchmarkApiClient implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int DELETED_AT_ONCE = 100;

  private final URI server;
  private final String authorization;
  private final HttpClient http;

  BenchmarkApiClient(URI server, String key) {
    this(server, key, TlsSettings.NONE);
  }

  BenchmarkApiClient(URI server, String key, TlsSettings tls) {
    this.server = server;
    this.authorization = BearerCredential.header(key);
    HttpClient.Builder client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
    if (!tls.equals(TlsSettings.NONE)) {
      client.sslContext(tls.context());
    }
    this.http = client.build();
  }

  /** Stores a workflow and returns its reference for runs, including the hash. */
  String workflow(String yaml) throws IOException, InterruptedException {
    JsonNode stored =
        send(request("/workflows", "application/yaml").POST(BodyPublishers.ofString(yaml)).build());
    return stored.path("name").asText() + "@" + stored.path("hash").asText();
  }

  /** Starts one run and returns its id. */
  String run(String workflow) throws IOException, InterruptedException {
    return send(creation(workflow)).path("id").asText();
  }

  /** Cancels a run; has no effect on one that has ended. */
  void cancel(String run) throws IOException, InterruptedException {
    HttpRequest asked =
        request("/runs/" + run + "/cancel", "application/json")
            .POST(BodyPublishers.ofString("{}"))
            .build();
    HttpResponse<byte[]> answer = http.send(asked, BodyHandlers.ofByteArray());
    if (answer.statusCode() != 409) {
      read(answer);
    }
  }

  /** Pauses a run at once; the step in progress is interrupted. */
  void pause(String run) throws IOException, InterruptedException {
    send(
        request("/runs/" + run + "/pause", "application/json")
            .POST(BodyPublishers.ofString("{\"now\": true}"))
            .build());
  }

  /** Resumes a paused run. */
  void resume(String run) throws IOException, InterruptedException {
    send(
        request("/runs/" + run + "/resume", "application/json")
            .POST(BodyPublishers.ofString("{}"))
            .build());
  }

  /** Returns the status of a run. */
  String status(String run) throws IOException, InterruptedException {
    return send(request("/runs/" + run, "application/json").GET().build()).path("status").asText();
  }

  /**
   * Requests the deletion of every completed run, and returns how many were deleted. A run that
   * cannot be deleted yet is left.
   */
  int deleteCompleted() throws IOException, InterruptedException {
    int deleted = 0;
    String cursor = null;
    do {
      ObjectNode body = Json.mapper().createObjectNode().put("limit", DELETED_AT_ONCE);
      body.putObject("filter").putArray("status").add("completed");
      if (cursor != null) {
        body.put("cursor", cursor);
      }
      JsonNode page =
          send(
              request("/runs/bulk/delete", "application/json")
                  .POST(BodyPublishers.ofByteArray(Json.bytes(body)))
                  .build());
      for (JsonNode result : page.path("results")) {
        deleted += result.path("outcome").asText().equals("deleted") ? 1 : 0;
      }
      cursor = page.hasNonNull("next_cursor") ? page.path("next_cursor").asText() : null;
    } while (cursor != null);
    return deleted;
  }

  /** Returns the sum of a counter of {@code /q/metrics} over its labels. */
  double counter(String name) throws IOException, InterruptedException {
    HttpRequest asked = request("/q/metrics", "application/json").GET().build();
    HttpResponse<String> metrics = http.send(asked, BodyHandlers.ofString());
    if (metrics.statusCode() != 200) {
      throw new IOException(asked.uri() + " answered " + metrics.statusCode());
    }
    return sum(metrics.body(), name);
  }

  static double sum(String metrics, String name) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /** Returns the newest runner processes. */
  List<RunnerListEntry> runners() throws IOException, InterruptedException {
    List<RunnerListEntry> all = new ArrayList<>();
    for (JsonNode one :
        send(request("/runners", "application/json").GET().build()).path("runners")) {
      all.add(
          new RunnerListEntry(
              one.path("mode").asText(),
              one.path("instance").asText(),
              one.hasNonNull("run") ? one.path("run").asText() : null,
              one.path("epoch").asInt(),
              one.path("state").asText(),
              one.path("pid").asLong(),
              one.path("attached").asBoolean()));
    }
    return all;
  }

  /** Forks a run after the latest completion of a step, and returns the fork's id. */
  String fork(String run, String step) throws IOException, InterruptedException {
    ObjectNode body = Json.mapper().createObjectNode().put("step", step);
    HttpRequest asked =
        request("/runs/" + run + "/fork", "application/json")
            .POST(BodyPublishers.ofByteArray(Json.bytes(body)))
            .build();
    return send(asked).path("id").asText();
  }

  /** Starts runs concurrently, each by a separate request. */
  List<String> runs(String workflow, int count) throws IOException, InterruptedException {
    List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      answers.add(http.sendAsync(creation(workflow), BodyHandlers.ofByteArray()));
    }
    List<String> ids = new ArrayList<>();
    for (CompletableFuture<HttpResponse<byte[]>> answer : answers) {
      try {
        ids.add(read(answer.get()).path("id").asText());
      } catch (ExecutionException e) {
        throw new IOException("a run could not be started: " + e.getCause(), e);
      }
    }
    return ids;
  }

  /** Starts runs by one request. */
  List<String> batch(String workflow, int count) throws IOException, InterruptedException {
    ObjectNode body = Json.mapper().createObjectNode();
    ArrayNode runs = body.putArray("runs");
    for (int i = 0; i < count; i++) {
      runs.add(wish(workflow));
    }
    JsonNode answer =
        send(
            request("/runs/batch", "application/json")
                .POST(BodyPublishers.ofByteArray(Json.bytes(body)))
                .build());
    List<String> ids = new ArrayList<>();
    answer.path("runs").forEach(run -> ids.add(run.path("id").asText()));
    if (ids.size() != count) {
      throw new IOException(count + " runs were requested, " + ids.size() + " were started");
    }
    return ids;
  }

  @Override
  public void close() {
    http.close();
  }

  private HttpRequest creation(String workflow) {
    return request("/runs", "application/json")
        .POST(BodyPublishers.ofByteArray(Json.bytes(wish(workflow))))
        .build();
  }

  private static ObjectNode wish(String workflow) {
    ObjectNode wish = Json.mapper().createObjectNode().put("workflow", workflow);
    wish.putObject("input").put("n", 1);
    return wish;
  }

  private HttpRequest.Builder request(String path, String contentType) {
    return HttpRequest.newBuilder(server.resolve(path))
        .timeout(PATIENCE)
        .header(BearerCredential.HEADER, authorization)
        .header("Content-Type", contentType);
  }

  private JsonNode send(HttpRequest request) throws IOException, InterruptedException {
    return read(http.send(request, BodyHandlers.ofByteArray()));
  }

  private static JsonNode read(HttpResponse<byte[]> answer) throws IOException {
    if (answer.statusCode() / 100 != 2) {
      throw new IOException(
          answer.request().method()
              + " "
              + answer.uri()
              + " answered "
              + answer.statusCode()
              + ": "
              + new String(answer.body(), java.nio.charset.StandardCharsets.UTF_8));
    }
    return Json.tree(answer.body());
  }
}
