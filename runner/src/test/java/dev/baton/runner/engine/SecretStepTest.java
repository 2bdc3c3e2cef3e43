/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowParser;
import dev.baton.runner.secrets.SecretResolver;
import dev.baton.runner.secrets.SecretSourcePolicy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs workflows with secrets, and reads their traces. */
class SecretStepTest {
  private static final String VALUE = "s3cr3t/value+of=a \"step\"";

  @TempDir Path folder;

  private TracedRun run(String definition) {
    WorkflowParseResult parsed =
        WorkflowParser.parse(
            definition.replace("FOLDER", folder.toString()), DefinitionFormat.YAML);
    assertThat(parsed).isInstanceOf(WorkflowParseResult.Valid.class);
    return new TracedRun(
            (WorkflowParseResult.Valid) parsed,
            asked -> Optional.empty(),
            context -> arguments -> arguments)
        .with(new SecretResolver(SecretSourcePolicy.parse("file:" + folder + "/**"), Map.of()));
  }

  private static String output(TracedRun run, String step) {
    return run.trace().stream()
        .map(record -> record.event())
        .filter(TraceEvent.StepCompleted.class::isInstance)
        .map(TraceEvent.StepCompleted.class::cast)
        .filter(event -> event.step().equals(step))
        .map(event -> ((Output.Inline) Objects.requireNonNull(event.output())).value().toString())
        .findFirst()
        .orElseThrow(() -> new AssertionError(String.join("\n", run.lines())));
  }

  private static void assertHidden(TracedRun run) {
    String encoded = Base64.getEncoder().encodeToString(VALUE.getBytes(StandardCharsets.UTF_8));
    assertThat(String.join("\n", run.lines()))
        .doesNotContain("s3cr3t", encoded.substring(4, encoded.length() - 4));
  }

  @Test
  void shouldGiveASecretToAScriptAndMaskItsOutput() throws Exception {
    Files.writeString(folder.resolve("npm"), VALUE);
    TracedRun run =
        run(
            """
            name: w
            secrets: {npm: {file: FOLDER/npm}}
            steps:
            - id: length
              shell: printf %s "${#T}"
              workspace: none
              env: {T: "${{ secrets.npm }}"}
            - id: shown
              shell: |
                echo "$T" >&2
                printf 's3cr3t'; sleep 0.05; printf '/value+of=a "step"'
                printf '\\n%s' "$T" | base64
              workspace: none
              env: {T: "${{ secrets.npm }}"}
            - id: read
              transform: .steps.shown.output
            - id: listed
              shell: echo "$T"
              workspace: none
              output: lines
              env: {T: "x ${{ secrets.npm }} y"}
            """);

    assertThat(run.carry(Integer.MAX_VALUE)).isEqualTo(RunTaskOutcome.COMPLETED);
    assertThat(output(run, "length")).isEqualTo("\"" + VALUE.length() + "\"");
    assertThat(output(run, "shown")).startsWith("\"***");
    assertThat(output(run, "read")).isEqualTo(output(run, "shown"));
    assertThat(output(run, "listed")).isEqualTo("[\"x *** y\"]");
    assertHidden(run);
  }

  @Test
  void shouldSendASecretAndMaskTheAnswer() throws Exception {
    Files.writeString(folder.resolve("npm"), VALUE);
    List<String> received = new CopyOnWriteArrayList<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          received.add(exchange.getRequestHeaders().getFirst("Authorization"));
          byte[] body = exchange.getRequestBody().readAllBytes();
          received.add(new String(body, StandardCharsets.UTF_8));
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.getResponseHeaders().add("Set-Cookie", "session=" + VALUE);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    try {
      TracedRun run =
          run(
              """
              name: w
              secrets: {npm: {file: FOLDER/npm}}
              steps:
              - id: send
                http:
                  method: POST
                  url: http://127.0.0.1:%d/
                  headers: {Authorization: "Bearer ${{ secrets.npm }}"}
                  body: {key: "${{ secrets.npm }}", other: 1}
              """
                  .formatted(server.getAddress().getPort()));

      assertThat(run.carry(Integer.MAX_VALUE)).isEqualTo(RunTaskOutcome.COMPLETED);
      assertThat(received.getFirst()).isEqualTo("Bearer " + VALUE);
      assertThat(received.getLast())
          .isEqualTo("{\"key\":\"s3cr3t/value+of=a \\\"step\\\"\",\"other\":1}");
      assertThat(output(run, "send"))
          .contains("\"body\":{\"key\":\"***\",\"other\":1}", "\"set-cookie\":\"session=***\"");
      assertHidden(run);
    } finally {
      server.stop(0);
    }
  }

  @Test
  void shouldGiveAStepTheSecretThatTheCallerSelected() throws Exception {
    Files.writeString(folder.resolve("npm"), "of-the-author");
    Files.writeString(folder.resolve("test"), VALUE);
    String definition =
        """
        name: w
        secrets: {npm: {file: FOLDER/npm}, test: {file: FOLDER/test}}
        input: {properties: {token: {x-secret: true}}}
        steps:
        - id: shown
          shell: |
            printf %s "$T" > FOLDER/seen
            echo "$T $R"
          workspace: none
          env: {T: "${{ secrets.token }}", R: "${{ .input.token }}"}
        """;
    TracedRun run = run(definition).with(Json.checkedTree("{\"token\": \"secret:test\"}"));

    assertThat(run.carry(Integer.MAX_VALUE)).isEqualTo(RunTaskOutcome.COMPLETED);
    assertThat(folder.resolve("seen")).hasContent(VALUE);
    assertThat(output(run, "shown")).isEqualTo("\"*** secret:test\"");
    assertHidden(run);

    TracedRun without = run(definition).with(Json.checkedTree("{\"token\": \"hunter2-value\"}"));
    assertThat(without.carry(Integer.MAX_VALUE)).isEqualTo(RunTaskOutcome.FAILED);
    assertThat(String.join("\n", without.lines()))
        .contains(
            "secret 'token': the workflow declares none, and the run's input has no reference")
        .doesNotContain("hunter2");
  }

  @Test
  void shouldMaskWhatAnotherProcessOfTheRunHasWritten() throws Exception {
    Files.writeString(folder.resolve("npm"), VALUE);
    Files.writeString(folder.resolve("left"), VALUE);
    TracedRun run =
        run(
            """
            name: w
            secrets: {npm: {file: FOLDER/npm}}
            steps:
            - {id: print, shell: cat FOLDER/left, workspace: none}
            """);

    assertThat(run.carry(Integer.MAX_VALUE)).isEqualTo(RunTaskOutcome.COMPLETED);
    assertThat(output(run, "print")).isEqualTo("\"***\"");
    assertHidden(run);
  }

  @Test
  void shouldFailOnceWithoutTheSecretAndNameIt() throws Exception {
    TracedRun run =
        run(
            """
            name: w
            secrets: {npm: {file: FOLDER/npm}, up: {env: HOME}}
            steps:
            - id: a
              shell: echo "$T"
              workspace: none
              retry: 5
              env: {T: "${{ secrets.npm }}"}
              next: [{on: failure, to: b}]
            - id: b
              shell: echo "$T"
              workspace: none
              retry: 5
              env: {T: "${{ secrets.up }}"}
            """);

    assertThat(run.carry(Integer.MAX_VALUE)).isEqualTo(RunTaskOutcome.FAILED);
    assertThat(run.lines()).noneMatch(line -> line.contains("StepRetried"));
    assertThat(String.join("\n", run.lines()))
        .contains(
            "secret 'npm' (file:" + folder + "/npm): the file does not exist",
            "secret 'up' (env:HOME): this runner does not permit the source; add env:HOME to baton.secrets.sources");
  }

  @Test
  void shouldKeepTheIdempotencyKeyWhenTheSecretIsRotated() throws Exception {
    String definition =
        """
        name: w
        secrets: {npm: {file: FOLDER/npm}}
        steps:
        - id: a
          shell: echo "${BATON_IDEMPOTENCY_KEY#*/}"; echo "$T" > FOLDER/seen; test "$T" = rotated-value
          workspace: none
          env: {T: "${{ secrets.npm }}"}
          next: [{on: failure, to: rotate}, {to: end}]
        - id: rotate
          shell: printf rotated-value > FOLDER/npm
          workspace: none
          next: a
          max_visits: 2
        """;
    Files.writeString(folder.resolve("npm"), "first-value");
    TracedRun run = run(definition);

    assertThat(run.carry(Integer.MAX_VALUE)).isEqualTo(RunTaskOutcome.COMPLETED);
    assertThat(output(run, "a")).isEqualTo("\"a/2\"");
    assertThat(folder.resolve("seen")).hasContent("rotated-value");
    assertThat(String.join("\n", run.lines())).doesNotContain("first-value");
  }
}
