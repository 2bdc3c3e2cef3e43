/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.StubServer;
import dev.baton.cli.client.ApiRunEvent;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.client.ServerAddress;
import dev.baton.cli.command.CliException;
import dev.baton.cli.terminal.Terminal;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.tls.TlsSettings;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what is reported about a run's end when the view is late or fails. */
class EndedRunReaderTest {
  private static final String ID = "01jd0000000000000000abcdef";
  private static final Duration BRIEFLY = Duration.ofMillis(100);
  private static final Duration LONG = Duration.ofSeconds(30);

  private StubServer server;
  private OrchestratorRestClient client;

  @BeforeEach
  void start() throws Exception {
    server = new StubServer();
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    Terminal terminal =
        new Terminal(new ByteArrayInputStream(new byte[0]), nowhere, nowhere, false, false);
    client =
        new OrchestratorRestClient(
            ServerAddress.parse(server.url(), "a test"),
            Optional.empty(),
            TlsSettings.NONE,
            terminal,
            false);
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"value\":7}                                   | 7",
        "{\"value\":null}                                | null",
        "{\"digest\":\"sha256:00\",\"size_bytes\":99999} | {\"digest\":\"sha256:00\",\"size_bytes\":99999}"
      })
  void shouldTakeTheEndFromTheEventWhereTheViewLags(String output, String shown) {
    server.on("GET /runs/" + ID, 200, "{\"id\":\"x\",\"status\":\"running\",\"epoch\":2}");

    JsonNode view =
        EndedRunReader.view(
            client, ID, event("run_completed", "{\"output\":" + output + "}"), BRIEFLY);

    assertThat(view.path("status").asText()).isEqualTo("completed");
    assertThat(view.path("output")).isEqualTo(tree(shown));
    assertThat(view.path("epoch").asInt()).as("the view's epoch").isEqualTo(2);
  }

  @Test
  void shouldTakeTheEndFromTheEventWhereTheViewCannotBeHad() {
    server.on("GET /runs/" + ID, 503, "{\"title\":\"Not now\"}");

    JsonNode view =
        EndedRunReader.view(
            client,
            ID,
            event("run_failed", "{\"error\":{\"code\":\"exit_code\",\"message\":\"3\"}}"),
            BRIEFLY);

    assertThat(view)
        .isEqualTo(
            tree(
                "{\"id\":\"%s\",\"status\":\"failed\",\"error\":{\"code\":\"exit_code\",\"message\":\"3\"}}"
                    .formatted(ID)));
  }

  @Test
  void shouldAskAgainUntilTheViewHasEnded() {
    String ended = "{\"id\":\"x\",\"status\":\"completed\",\"output\":7,\"steps\":[{}]}";
    server.on("GET /runs/" + ID, 200, "{\"id\":\"x\",\"status\":\"running\"}");
    server.on("GET /runs/" + ID, 503, "{\"title\":\"Not now\"}");
    server.on("GET /runs/" + ID, 200, ended);

    JsonNode view = EndedRunReader.view(client, ID, event("run_completed", "{}"), LONG);

    assertThat(view).isEqualTo(tree(ended));
  }

  @Test
  void shouldBelieveTheViewWhereNoEventWasSeen() {
    server.on("GET /runs/" + ID, 200, "{\"status\":\"failed\"}");
    server.on("GET /runs/" + ID, 503, "{\"title\":\"Not now\"}");

    assertThat(EndedRunReader.view(client, ID, null, LONG).path("status").asText())
        .isEqualTo("failed");
    assertThatThrownBy(() -> EndedRunReader.view(client, ID, null, LONG))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("Not now");
  }

  private static ApiRunEvent event(String type, String data) {
    return ApiRunEvent.of(
        tree(
            "{\"position\":2,\"id\":\"%s/c/2\",\"type\":\"dev.baton.%s\",\"data\":%s}"
                .formatted(ID, type, data)));
  }

  private static JsonNode tree(String json) {
    return Json.tree(json.getBytes(StandardCharsets.UTF_8));
  }
}
