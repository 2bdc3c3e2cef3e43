/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.baton.cli.StubServer;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.terminal.Terminal;
import dev.baton.protocol.tls.TlsSettings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests against a server that stops responding without closing the connection, as after the loss of
 * its machine, and against servers that return errors.
 */
class RunEventFollowerTest {
  private static final String RUN = "01jd0000000000000000abcdef";
  private static final Duration LONG = Duration.ofMinutes(1);

  private final CountDownLatch end = new CountDownLatch(1);
  private final AtomicInteger streams = new AtomicInteger();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  @AfterEach
  void stop() {
    end.countDown();
    server.stop(0);
  }

  @Test
  void shouldConnectAnewWhenNothingComesAnyMore() {
    List<Long> seen = new ArrayList<>();

    try (OrchestratorRestClient client =
        client("http://127.0.0.1:" + server.getAddress().getPort())) {
      ApiRunEvent last =
          new RunEventFollower(client, RUN, 0, Duration.ofMillis(300), LONG)
              .follow(event -> seen.add(event.position()));

      assertThat(last).isNotNull();
      assertThat(last.type()).isEqualTo("run_completed");
    }
    assertThat(seen).containsExactly(1L, 2L);
    assertThat(streams).hasValue(3);
  }

  @Test
  void shouldGiveUpOnAServerThatStaysAway() throws Exception {
    try (StubServer away = new StubServer();
        OrchestratorRestClient client = client(away.url())) {
      away.on("GET /runs/" + RUN + "/events?after=0", 503, "{\"title\":\"Not now\"}");
      RunEventFollower feed = new RunEventFollower(client, RUN, 0, LONG, Duration.ofMillis(300));

      assertThatThrownBy(() -> feed.follow(_ -> true))
          .isInstanceOfSatisfying(
              CliException.class, e -> assertThat(e.code()).isEqualTo(CliExitCode.UNREACHABLE))
          .hasMessageContaining("Not now");
      assertThat(away.requests()).as("as long as it was patient").hasSizeBetween(2, 10);
    }
  }

  @Test
  void shouldEndWithTheReasonWhenItsRightEnds() throws Exception {
    String problem = "{\"title\": \"No\", \"status\": 401, \"detail\": \"the token has expired\"}";
    try (StubServer server = new StubServer();
        OrchestratorRestClient client = client(server.url())) {
      server.on(
          "GET /runs/" + RUN + "/events?after=0",
          200,
          "text/event-stream",
          "id: 1\nevent: dev.baton.step_started\ndata: {}\n\nevent: problem\ndata: "
              + problem
              + "\n\n");
      List<Long> seen = new ArrayList<>();
      RunEventFollower feed = new RunEventFollower(client, RUN, 0, LONG, LONG);

      assertThatThrownBy(() -> feed.follow(event -> seen.add(event.position())))
          .isInstanceOfSatisfying(
              CliException.class, e -> assertThat(e.code()).isEqualTo(CliExitCode.SERVER))
          .hasMessageContaining("the token has expired");
      assertThat(seen).containsExactly(1L);
      assertThat(server.requests()).hasSize(1);
    }
  }

  @Test
  void shouldCountOnlyTheTimeSinceTheServerWasThere() throws Exception {
    int events = 6;
    try (StubServer shaky = new StubServer();
        OrchestratorRestClient client = client(shaky.url())) {
      shaky.on("GET /runs/" + RUN, 200, "{\"status\":\"running\"}");
      for (int i = 1; i <= events; i++) {
        String type = i < events ? "step_started" : "run_completed";
        shaky
            .on("GET /runs/" + RUN + "/events?after=" + (i - 1), 503, "{\"title\":\"Not now\"}")
            .on(
                "GET /runs/" + RUN + "/events?after=" + (i - 1),
                200,
                "text/event-stream",
                "id: %d\nevent: dev.baton.%s\ndata: {}\n\n".formatted(i, type));
      }
      List<Long> seen = new ArrayList<>();

      // Less than the sum of the pauses after all failures.
      new RunEventFollower(client, RUN, 0, LONG, Duration.ofMillis(300))
          .follow(event -> seen.add(event.position()));

      assertThat(seen).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    }
  }

  private static OrchestratorRestClient client(String url) {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    Terminal terminal =
        new Terminal(new ByteArrayInputStream(new byte[0]), nowhere, nowhere, false, false);
    return new OrchestratorRestClient(
        ServerAddress.parse(url, "a test"), Optional.empty(), TlsSettings.NONE, terminal, false);
  }

  private void answer(HttpExchange exchange) throws IOException {
    if (!exchange.getRequestURI().getPath().endsWith("/events")) {
      byte[] body = "{\"status\":\"running\"}".getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
      return;
    }
    int stream = streams.incrementAndGet();
    if (stream == 1) {
      // Does not even send response headers.
      hang();
      return;
    }
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    String type = stream == 2 ? "run_created" : "run_completed";
    String event = "id: %d\nevent: dev.baton.%s\ndata: {}\n\n".formatted(stream - 1, type);
    exchange.getResponseBody().write(event.getBytes(StandardCharsets.UTF_8));
    exchange.getResponseBody().flush();
    hang();
  }

  private void hang() {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
