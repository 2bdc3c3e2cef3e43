/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.baton.launcher.LaunchSpec;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The answers of a Docker in which another instance is creating the container: its name is taken
 * before it can be found. The engine gives them within milliseconds, so a server repeats them.
 */
@Timeout(60)
class ConcurrentCreationTest {
  private static final int HIDDEN = 6;
  private static final LaunchSpec SPEC = new LaunchSpec("warm-1", null, 0, "default", Map.of());

  @TempDir Path folder;

  private final AtomicInteger searches = new AtomicInteger();
  private final HttpServer server;

  ConcurrentCreationTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    if (exchange.getRequestURI().getPath().endsWith("/create")) {
      send(exchange, 409, "{\"message\":\"Conflict. The container name is already in use\"}");
    } else if (searches.incrementAndGet() <= HIDDEN) {
      send(exchange, 404, "{\"message\":\"No such container\"}");
    } else {
      send(
          exchange,
          200,
          """
          {"Id": "c1", "Created": "2026-01-01T00:00:00Z", "State": {"Status": "running"},
           "Config": {"Labels": {"%s": "test", "%s": "warm-1"}}}
          """
              .formatted(ContainerLabels.INSTALLATION, ContainerLabels.RUNNER));
    }
  }

  private static void send(HttpExchange exchange, int status, String json) throws IOException {
    byte[] body = json.getBytes(StandardCharsets.UTF_8);
    exchange.getRequestBody().readAllBytes();
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @Test
  void shouldWaitForAContainerThatAnotherInstanceIsCreating() throws Exception {
    DockerLauncherSettings settings =
        new DockerLauncherSettings(
            URI.create("tcp://127.0.0.1:" + server.getAddress().getPort()),
            "test",
            new ContainerSettings(
                "image:1",
                List.of("/bin/true"),
                Optional.of("none"),
                64L << 20,
                1,
                64,
                true,
                Map.of(),
                Map.of(),
                List.of(),
                false,
                false),
            Map.of(),
            folder,
            Duration.ofSeconds(20),
            Duration.ofSeconds(2));
    DockerEngine engine = new DockerEngine(settings);
    try {
      DockerContainer found = new ContainerStarter(settings, engine).start(SPEC, created -> {});

      assertThat(found.id()).isEqualTo("c1");
      assertThat(searches).hasValue(HIDDEN + 1);
    } finally {
      engine.close();
    }
  }
}
