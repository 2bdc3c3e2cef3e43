/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.net.BearerCredential;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.eclipse.microprofile.config.ConfigProvider;

/** A client of the REST API. */
public final class OrchestratorTestClient {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** The setting with the admin key of the tests. */
  public static final String API_KEY = "test.api-key";

  /** The setting with a key of a file whose callers are viewers. */
  public static final String VIEWER_KEY = "test.viewer-key";

  private final URI base;
  private final Optional<String> key;

  /** A response. */
  public record Answer(int status, String type, String text, HttpResponse<String> raw) {
    public JsonNode json() {
      return Json.tree(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
  }

  /** Creates a client that is an admin. */
  public OrchestratorTestClient(URI base) {
    this(base, Optional.of(apiKey()));
  }

  /**
   * @param key sent with each request
   */
  public OrchestratorTestClient(URI base, Optional<String> key) {
    this.base = base;
    this.key = key;
  }

  /** The admin key of the tests. */
  public static String apiKey() {
    return ConfigProvider.getConfig().getValue(API_KEY, String.class);
  }

  public Answer get(String path) {
    return send(request(path).GET());
  }

  public Answer post(String path, String type, String body, String... headers) {
    HttpRequest.Builder request =
        request(path).header("Content-Type", type).POST(HttpRequest.BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request);
  }

  public Answer json(String path, String body, String... headers) {
    return post(path, "application/json", body, headers);
  }

  public CompletableFuture<HttpResponse<String>> later(String path, String body) {
    return HTTP.sendAsync(
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  public HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(base.resolve(path)).timeout(PATIENCE);
    key.ifPresent(value -> request.header(BearerCredential.HEADER, BearerCredential.header(value)));
    return request;
  }

  public Answer send(HttpRequest.Builder request) {
    try {
      HttpResponse<String> answer =
          HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
      return new Answer(
          answer.statusCode(),
          answer.headers().firstValue("Content-Type").orElse(""),
          answer.body(),
          answer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /**
   * Puts a workflow with one no-op step on a shared runner, or with one shell step on an isolated
   * runner.
   */
  public String workflow(String name, boolean shared) {
    String yaml =
        "name: %s\nrunner: %s\nsteps:\n  - id: a\n    transform: '1'\n"
            .formatted(name, shared ? "shared" : "isolated");
    Answer put = post("/workflows", "application/yaml", yaml);
    if (put.status() > 201) {
      throw new IllegalStateException(put.text());
    }
    return name;
  }

  /** Waits until the run matches the predicate. */
  public JsonNode await(String run, Predicate<JsonNode> wanted) {
    return await("/runs/" + run, "run " + run, wanted);
  }

  public JsonNode await(String path, String what, Predicate<JsonNode> wanted) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      Answer answer = get(path);
      if (answer.status() == 200 && wanted.test(answer.json())) {
        return answer.json();
      }
      if (System.nanoTime() > end) {
        throw new IllegalStateException(what + " does not match: " + answer.text());
      }
      Thread.onSpinWait();
      java.util.concurrent.locks.LockSupport.parkNanos(20_000_000);
    }
  }
}
