/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.attacks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Sends HTTP/1.1 requests with exactly the given headers: without a Content-Type unless one is
 * given. Thread-safe.
 */
final class AttackHttpClient {
  static final ObjectMapper JSON = new ObjectMapper();
  static final Map<String, String> JSON_TYPE = Map.of("Content-Type", "application/json");

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI server;
  private final Map<String, String> credential;

  /**
   * @param key sent with each request, if present
   */
  AttackHttpClient(URI server, Optional<String> key) {
    this.server = server;
    this.credential = key.map(value -> Map.of("Authorization", "Bearer " + value)).orElse(Map.of());
  }

  /** A response. */
  record Answer(int status, Map<String, String> headers, String body) {
    boolean isSuccess() {
      return status / 100 == 2;
    }

    JsonNode json() throws IOException {
      return JSON.readTree(body);
    }

    @Override
    public String toString() {
      return status + " " + body.substring(0, Math.min(body.length(), 300));
    }
  }

  Answer get(String path) throws IOException, InterruptedException {
    return send("GET", path, Map.of("Accept", "application/json"), null);
  }

  Answer post(String path, Map<String, String> headers, String body)
      throws IOException, InterruptedException {
    return send("POST", path, headers, body);
  }

  /** Sends a POST without a body and without any header about one. */
  Answer postNothing(String path) throws IOException, InterruptedException {
    return send("POST", path, Map.of(), null);
  }

  private Answer send(
      String method, String path, Map<String, String> headers, @Nullable String body)
      throws IOException, InterruptedException {
    return answer(
        http.send(request(method, path, headers, body), HttpResponse.BodyHandlers.ofString()));
  }

  private HttpRequest request(
      String method, String path, Map<String, String> headers, @Nullable String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.resolve(path))
            .timeout(TIMEOUT)
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    headers(headers).forEach(request::header);
    return request.build();
  }

  private Map<String, String> headers(Map<String, String> own) {
    Map<String, String> all = new LinkedHashMap<>(credential);
    all.putAll(own);
    return all;
  }

  private static Answer answer(HttpResponse<String> response) {
    Map<String, String> headers = new LinkedHashMap<>();
    response.headers().map().forEach((name, values) -> headers.put(name, values.getFirst()));
    return new Answer(response.statusCode(), headers, response.body());
  }

  /** Sends a GET with any Host, which the JDK's client does not allow. */
  Answer getWithHost(String path, String host) throws IOException {
    StringBuilder request =
        new StringBuilder(
            "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n".formatted(path, host));
    credential.forEach(
        (name, value) -> request.append(name).append(": ").append(value).append("\r\n"));
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(server.getHost(), server.getPort()),
          Math.toIntExact(TIMEOUT.toMillis()));
      socket.setSoTimeout(Math.toIntExact(TIMEOUT.toMillis()));
      socket
          .getOutputStream()
          .write(request.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
      String response = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int body = response.indexOf("\r\n\r\n");
      return new Answer(
          Integer.parseInt(response.split(" ", 3)[1]), Map.of(), response.substring(body + 4));
    }
  }
}
