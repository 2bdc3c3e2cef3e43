/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.opencode;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Sends requests to a server of OpenCode on loopback. Thread-safe. */
final class OpenCodeClient implements AutoCloseable {
  private static final Duration CONNECT_BOUND = Duration.ofSeconds(10);

  /** The first request builds OpenCode's services: 5 s on a machine at rest. */
  private static final Duration ANSWER_BOUND = Duration.ofSeconds(120);

  private static final int MOST_BODY = 64 << 20;
  private static final int MOST_ERROR = 2_000;

  private final URI server;
  private final String authorization;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .proxy(HttpClient.Builder.NO_PROXY)
          .connectTimeout(CONNECT_BOUND)
          .build();

  /**
   * An answer.
   *
   * @param status of HTTP
   * @param body null for an answer without JSON
   * @param text beginning of the body, for messages
   */
  record ServerAnswer(int status, @Nullable JsonNode body, String text) {
    boolean ok() {
      return status >= 200 && status < 300;
    }
  }

  /**
   * @param server as the server reports it: {@code http://127.0.0.1:<port>}
   */
  OpenCodeClient(URI server, String password) {
    this.server = server;
    this.authorization =
        "Basic "
            + Base64.getEncoder()
                .encodeToString(("opencode:" + password).getBytes(StandardCharsets.UTF_8));
  }

  /**
   * @throws IOException when the server does not answer within 120 s, or answers with more than 64
   *     MiB
   */
  ServerAnswer get(String path) throws IOException, InterruptedException {
    return answer(request(path).GET().timeout(ANSWER_BOUND).build());
  }

  /**
   * @throws IOException as {@link #get}
   */
  ServerAnswer post(String path, ObjectNode body) throws IOException, InterruptedException {
    return answer(
        request(path)
            .POST(HttpRequest.BodyPublishers.ofByteArray(Json.bytes(body)))
            .header("Content-Type", "application/json")
            .timeout(ANSWER_BOUND)
            .build());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(server.resolve(path)).header("Authorization", authorization);
  }

  private ServerAnswer answer(HttpRequest request) throws IOException, InterruptedException {
    HttpResponse<InputStream> response =
        http.send(request, HttpResponse.BodyHandlers.ofInputStream());
    byte[] bytes;
    try (InputStream in = response.body()) {
      bytes = in.readNBytes(MOST_BODY + 1);
    }
    if (bytes.length > MOST_BODY) {
      throw new IOException(request.uri().getPath() + ": the answer has more than 64 MiB");
    }
    String text =
        TextShortener.shorten(
            new String(bytes, 0, Math.min(bytes.length, MOST_ERROR), StandardCharsets.UTF_8),
            MOST_ERROR);
    return new ServerAnswer(response.statusCode(), json(bytes), text);
  }

  private static @Nullable JsonNode json(byte[] bytes) throws IOException {
    try {
      return bytes.length == 0 ? null : Json.checkedTree(bytes);
    } catch (JsonProcessingException e) {
      return null;
    }
  }

  /**
   * Opens the event stream; it ends with the server.
   *
   * @throws IOException when it does not open within 120 s
   */
  InputStream events() throws IOException, InterruptedException {
    return events(ANSWER_BOUND);
  }

  /**
   * Opens the event stream; it ends with the server.
   *
   * @throws IOException when it does not open within the bound
   */
  InputStream events(Duration bound) throws IOException, InterruptedException {
    // Not a timeout of the request: it could apply to the whole stream.
    CompletableFuture<HttpResponse<InputStream>> opening =
        http.sendAsync(request("/event").GET().build(), HttpResponse.BodyHandlers.ofInputStream());
    HttpResponse<InputStream> response;
    try {
      response = opening.get(bound.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      opening.cancel(true);
      throw new IOException("/event: the stream did not open: " + e.getMessage(), e);
    }
    if (response.statusCode() != 200) {
      response.body().close();
      throw new IOException("/event: status " + response.statusCode());
    }
    return response.body();
  }

  /** Ends all requests. */
  @Override
  public void close() {
    http.shutdownNow();
  }
}
