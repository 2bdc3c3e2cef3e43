/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.approvals;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.Api;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.Servers;
import dev.baton.orchestrator.testing.Testbed;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.grpc.Held;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceEvent;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(Servers.class)
class ApprovalTest {
  private static final String SCHEMA =
      "{\"type\":\"object\",\"required\":[\"approved\"],\"properties\":{\"approved\":{\"type\":\"boolean\"}}}";

  @Inject Testbed bed;

  /** A run whose runner has asked; returns its id. */
  private String ask(ScriptedRunner runner, TraceLog log, String workflow) {
    bed.api().workflow(workflow, true);
    String run =
        bed.api().json("/runs", "{\"workflow\":\"" + workflow + "\"}").json().get("id").textValue();
    runner.awaitAssign(run);
    log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted(runner.id(), 1L, "h", null, 0));
    log.append(
        run,
        Lane.runner(1),
        2,
        new TraceEvent.CheckpointWaiting(
            "ok",
            run + "-ok-1",
            "Go?",
            Json.tree(SCHEMA.getBytes(java.nio.charset.StandardCharsets.UTF_8)),
            null,
            null,
            null));
    bed.api().await(run, shown -> shown.get("status").textValue().equals("waiting"));
    return run;
  }

  @Test
  void shouldTakeOneAnswerAndTellTheRunner() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "approval-runner", 10);
        TraceLog log = bed.log()) {
      String run = ask(runner, log, "approval-once");
      String path = "/checkpoints/" + run + "-ok-1";
      JsonNode waiting = bed.api().get("/checkpoints?status=waiting&run=" + run).json();
      assertThat(waiting.at("/checkpoints/0/prompt").textValue()).isEqualTo("Go?");
      assertThat(bed.api().get("/runs/" + run).json().at("/waiting/0/approval").textValue())
          .isEqualTo(run + "-ok-1");

      Api.Answer wrong = bed.api().json(path, "{\"answer\":{\"approved\":\"yes\"}}");
      Api.Answer nul =
          bed.api().json(path, "{\"answer\":{\"approved\":true,\"why\":\"a\\u0000b\"}}");
      Api.Answer first =
          bed.api()
              .json(
                  path, "{\"answer\":{\"approved\":true},\"by\":\"ann\"}", "Idempotency-Key", "k1");
      Api.Answer same =
          bed.api()
              .json(
                  path, "{\"answer\":{\"approved\":true},\"by\":\"ann\"}", "Idempotency-Key", "k1");
      Api.Answer second = bed.api().json(path, "{\"answer\":{\"approved\":false}}");

      assertThat(wrong.status()).isEqualTo(422);
      assertThat(wrong.json().at("/errors/0/path").textValue()).isEqualTo("/approved");
      assertThat(nul.status()).isEqualTo(400);
      assertThat(nul.json().get("detail").textValue()).contains("'answer' contains a NUL");
      assertThat(first.status()).isEqualTo(200);
      assertThat(same.status()).isEqualTo(200);
      assertThat(same.raw().headers().firstValue("Idempotent-Replayed")).contains("true");
      assertThat(second.status()).isEqualTo(409);
      assertThat(second.json().get("detail").textValue()).contains("answered by ann");
      assertThat(runner.await(m -> m.hasAnswer()).getAnswer().getAnswer().toStringUtf8())
          .isEqualTo("{\"approved\":true}");
      assertThat(
              log.trace(
                  run,
                  t -> t.stream().anyMatch(r -> r.event() instanceof TraceEvent.ApprovalAnswered)))
          .filteredOn(r -> r.event() instanceof TraceEvent.ApprovalAnswered)
          .singleElement()
          .satisfies(r -> assertThat(r.id().seq()).isEqualTo(3));
      // A new stream of the same runner hears it again.
      Held held = Held.newBuilder().setRun(run).setEpoch(1).setStarted(true).build();
      try (ScriptedRunner again = new ScriptedRunner(bed.port(), "approval-runner", 10, held)) {
        assertThat(again.await(m -> m.hasAnswer()).getAnswer().getBy()).isEqualTo("ann");
      }
    }
  }

  @Test
  void shouldLetOneOfManyAnswersWin() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "approval-race", 10);
        TraceLog log = bed.log()) {
      String run = ask(runner, log, "approval-race");

      List<Integer> statuses =
          IntStream.range(0, 16)
              .mapToObj(
                  i ->
                      bed.api()
                          .later(
                              "/checkpoints/" + run + "-ok-1",
                              "{\"answer\":{\"approved\":true},\"by\":\"p" + i + "\"}"))
              .toList()
              .stream()
              .map(CompletableFuture::join)
              .map(java.net.http.HttpResponse::statusCode)
              .toList();

      assertThat(statuses).filteredOn(status -> status == 200).hasSize(1);
      assertThat(statuses).filteredOn(status -> status == 409).hasSize(15);
    }
  }

  @Test
  void shouldCloseAQuestionThatTheRunNoLongerAsks() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "approval-close", 10);
        TraceLog log = bed.log()) {
      String run = ask(runner, log, "approval-close");

      log.append(
          run,
          Lane.runner(1),
          3,
          new TraceEvent.RunFailed(
              "ok", dev.baton.protocol.trace.Failure.of("expired", "nobody answered")));

      bed.api().await(run, shown -> shown.get("status").textValue().equals("failed"));
      assertThat(bed.api().get("/checkpoints/" + run + "-ok-1").json().get("status").textValue())
          .isEqualTo("expired");
      assertThat(
              bed.api()
                  .json("/checkpoints/" + run + "-ok-1", "{\"answer\":{\"approved\":true}}")
                  .status())
          .isEqualTo(409);
    }
  }
}
