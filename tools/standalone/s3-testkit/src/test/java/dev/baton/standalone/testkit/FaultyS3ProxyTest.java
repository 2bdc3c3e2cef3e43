/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultyS3ProxyTest {
  private final long seed = new Random().nextLong();
  private final Map<String, String> stored = new ConcurrentHashMap<>();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @SuppressWarnings("NullAway.Init")
  private HttpServer server;

  @SuppressWarnings("NullAway.Init")
  private FaultyS3Proxy faulty;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            String path = exchange.getRequestURI().getPath();
            byte[] asked = exchange.getRequestBody().readAllBytes();
            if (exchange.getRequestMethod().equals("PUT")) {
              stored.put(path, new String(asked, UTF_8));
            }
            byte[] answer = stored.getOrDefault(path, "").getBytes(UTF_8);
            exchange.sendResponseHeaders(200, answer.length == 0 ? -1 : answer.length);
            exchange.getResponseBody().write(answer);
          }
        });
    server.start();
    faulty =
        new FaultyS3Proxy(URI.create("http://127.0.0.1:" + server.getAddress().getPort()), seed);
  }

  @AfterEach
  void stop() throws IOException {
    faulty.close();
    http.close();
    server.stop(0);
  }

  @Test
  void shouldPassOnWhatDoesNotFail() throws Exception {
    for (int i = 0; i < 50; i++) {
      assertThat(put("/" + i, "content " + i)).isEqualTo("content " + i);
    }
    assertThat(faulty.requests()).isEqualTo(50);
    assertThat(faulty.faults()).isEmpty();
  }

  @Test
  void shouldFailInEveryWayAndStoreNoHalves() throws Exception {
    String content = "content".repeat(100);
    faulty.fail(1);
    for (int i = 0; i < 100; i++) {
      assertThat(put("/" + i, content)).as("seed %d", seed).isEmpty();
    }
    assertThat(faulty.faults()).as("seed %d", seed).containsOnlyKeys(S3Fault.values());
    assertThat(stored.values()).isNotEmpty().containsOnly(content);
    assertThat(stored).hasSizeLessThan(100);

    faulty.fail(0);
    assertThat(put("/again", content)).isEqualTo(content);
  }

  @Test
  void shouldFailTheShareAskedFor() throws Exception {
    faulty.fail(0.1);
    int failed = 0;
    for (int i = 0; i < 500; i++) {
      failed += put("/" + i, "x").isEmpty() ? 1 : 0;
    }
    assertThat(failed).as("seed %d", seed).isBetween(20, 90);
  }

  /** Returns an empty text when it failed. */
  private String put(String path, String content) throws InterruptedException {
    try {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(faulty.endpoint().resolve(path))
                  .timeout(Duration.ofSeconds(20))
                  .PUT(HttpRequest.BodyPublishers.ofString(content))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() == 200 ? answer.body() : "";
    } catch (IOException e) {
      return "";
    }
  }
}
