/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.cli.StubServer;
import dev.baton.cli.command.CliException;
import dev.baton.cli.terminal.Terminal;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.tls.TlsSettings;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OrchestratorRestClientTest {
  private static final String BUSY =
      "{\"type\":\"https://baton.dev/problems/busy\",\"status\":503,\"detail\":\"a loop is blocked\"}";
  private static final String AWAY =
      "{\"type\":\"https://baton.dev/problems/unavailable\",\"status\":503,\"detail\":\"away\"}";
  private static final byte[] BODY = "{}".getBytes(java.nio.charset.StandardCharsets.UTF_8);

  private StubServer server;
  private OrchestratorRestClient client;

  @BeforeEach
  void start() throws Exception {
    server = new StubServer();
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    client =
        new OrchestratorRestClient(
            ServerAddress.parse(server.url(), "a test"),
            Optional.empty(),
            TlsSettings.NONE,
            new Terminal(new ByteArrayInputStream(new byte[0]), nowhere, nowhere, false, false),
            false);
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  @Test
  void shouldRepeatARequestWithAKeyThatABusyServerRefuses() {
    server.on("POST /runs", 503, BUSY).on("POST /runs", 201, "{\"id\":\"x\"}");

    assertThat(
            client
                .post("/runs", BODY, "application/json", Map.of("Idempotency-Key", "k"))
                .path("id")
                .asText())
        .isEqualTo("x");
  }

  @Test
  void shouldRepeatAReadThatABusyServerRefuses() {
    server.on("GET /runs", 503, BUSY).on("GET /runs", 200, "{\"items\":[]}");

    assertThat(client.get("/runs").path("items").isArray()).isTrue();
  }

  @Test
  void shouldNotRepeatWhatCouldStartTheSameWorkTwice() {
    server.on("POST /gc", 503, BUSY).on("POST /gc", 200, "{}");

    assertThatThrownBy(() -> client.post("/gc", Json.mapper().createObjectNode()))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("a loop is blocked");
  }

  @Test
  void shouldReportAnUnavailableComponentAtOnce() {
    server.on("GET /runs", 503, AWAY).on("GET /runs", 200, "{\"items\":[]}");

    assertThatThrownBy(() -> client.get("/runs"))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("away");
  }
}
