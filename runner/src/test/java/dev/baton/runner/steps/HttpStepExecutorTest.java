/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.baton.protocol.expression.ExpressionScope;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowParser;
import dev.baton.runner.lease.RunLease;
import dev.baton.runner.process.StepEnvironmentBuilder;
import dev.baton.runner.process.WorkspaceMount;
import dev.baton.runner.secrets.RunSecretProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpStepExecutorTest {
  private static final int MAX_BODY = 100_000;
  private static final HttpStepExecutor STEP =
      new HttpStepExecutor(MAX_BODY, HttpAddressPolicy.DEFAULT, TlsSettings.NONE);

  private final AtomicReference<String> received = new AtomicReference<>("");
  private HttpServer server;

  HttpStepExecutorTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
  }

  @BeforeEach
  void start() {
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext(
        "/echo", exchange -> answer(exchange, 200, "application/json", "{\"ok\": true}"));
    server.createContext("/text", exchange -> answer(exchange, 201, "text/plain", "hello"));
    server.createContext("/down", exchange -> answer(exchange, 503, "text/plain", "later"));
    server.createContext("/missing", exchange -> answer(exchange, 404, "text/plain", "no"));
    server.createContext(
        "/large", exchange -> answer(exchange, 200, "text/plain", "x".repeat(MAX_BODY + 1)));
    server.createContext("/silent", exchange -> {});
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange, int status, String type, String body)
      throws IOException {
    received.set(
        exchange.getRequestMethod()
            + " "
            + exchange.getRequestHeaders().getFirst("Idempotency-Key")
            + " "
            + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private StepResult call(String http) throws Exception {
    String yaml =
        "{name: w, steps: [{id: h, http: "
            + http.replace("HOST", "http://127.0.0.1:" + server.getAddress().getPort())
            + "}]}";
    if (!(WorkflowParser.parse(yaml, DefinitionFormat.YAML)
        instanceof WorkflowParseResult.Valid valid)) {
      throw new AssertionError(WorkflowParser.parse(yaml, DefinitionFormat.YAML));
    }
    JsonNode input = Json.mapper().readTree("{\"n\": 7}");
    StepContext context =
        new StepContext(
            "run",
            1,
            "",
            "h",
            2,
            1,
            ExpressionScope.of(
                input, Json.mapper().createObjectNode(), Json.mapper().createObjectNode()),
            () -> Path.of("."),
            () -> {
              throw new AssertionError("an http step has no log");
            },
            Deadline.after(Duration.ofSeconds(20)),
            RunLease.forever(),
            WorkspaceMount.NONE,
            Optional.empty(),
            StepEnvironmentBuilder.ofProcess(List.of()),
            RunSecretProvider.NONE,
            List.of(),
            false,
            null);
    return STEP.execute((StepKind.Http) valid.workflow().flow().first().kind(), context);
  }

  @Test
  void shouldSendTheBodyAndItsKeyAndReadJson() throws Exception {
    StepResult result = call("{method: POST, url: 'HOST/echo', body: {n: '${{ .input.n }}'}}");

    assertThat(received.get()).isEqualTo("POST run/h/2 {\"n\":7}");
    assertThat(result)
        .isInstanceOfSatisfying(
            StepResult.Done.class,
            done -> {
              assertThat(done.output().path("status").asInt()).isEqualTo(200);
              assertThat(done.output().path("body").path("ok").asBoolean()).isTrue();
              assertThat(done.output().path("headers").path("content-type").asText())
                  .isEqualTo("application/json");
            });
  }

  @Test
  void shouldReadTextAndAcceptOnlyWhatIsExpected() throws Exception {
    assertThat(call("{url: 'HOST/text'}"))
        .isInstanceOfSatisfying(
            StepResult.Done.class,
            done -> assertThat(done.output().path("body").asText()).isEqualTo("hello"));
    assertFailed(call("{url: 'HOST/text', expect: [200]}"), "http_status", false);
  }

  @Test
  void shouldRetryOnlyWhatMayPass() throws Exception {
    assertFailed(call("{url: 'HOST/down'}"), "http_status", true);
    assertFailed(call("{url: 'HOST/missing'}"), "http_status", false);
    assertFailed(call("{url: 'http://127.0.0.1:1/'}"), "http_io", true);
    assertFailed(call("{url: 'HOST/silent', timeout: 200ms}"), "timeout", true);
    assertFailed(call("{url: 'HOST/large'}"), "output_invalid", false);
  }

  private static void assertFailed(StepResult result, String code, boolean mayPass) {
    assertThat(result)
        .isInstanceOfSatisfying(
            StepResult.Failed.class,
            failed -> {
              assertThat(failed.error().code()).isEqualTo(code);
              assertThat(failed.mayPass()).isEqualTo(mayPass);
            });
  }
}
