/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.FakeStore;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.grpc.Checkpoint;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class OnDemandCheckpointServiceTest {
  @Inject OrchestratorTestEnvironment bed;

  /** Creates a run that the runner carries and that has a checkpoint; returns its id. */
  private String carried(ScriptedRunner runner, TraceLog log, String workflow) {
    bed.api().workflow(workflow, true);
    String run =
        bed.api()
            .json("/runs", "{\"workflow\":\"" + workflow + "\"}")
            .json()
            .path("id")
            .textValue();
    runner.awaitAssign(run);
    log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted(runner.id(), 1L, "h", null, 0));
    bed.api().await(run, shown -> shown.path("status").textValue().equals("running"));
    FakeStore.put(RunId.next(), run, "pending");
    return run;
  }

  private static Checkpoint asked(ScriptedRunner runner) {
    return runner.await(message -> message.hasCheckpoint()).getCheckpoint();
  }

  private static JsonNode json(HttpResponse<String> answer) {
    return Json.tree(answer.body().getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void shouldAnswerWithTheCheckpointOnceItsEventIsInTheTrace() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "cut-saved", 10);
        TraceLog log = bed.log()) {
      String run = carried(runner, log, "cut-saved");

      CompletableFuture<HttpResponse<String>> answer =
          bed.api().later("/runs/" + run + "/checkpoints", "{\"trigger\":\"detach\"}");
      Checkpoint asked = asked(runner);
      FakeStore.awaitFollowed(run, true);
      FakeStore.saved(run, asked.getRequestId());

      HttpResponse<String> made = answer.join();
      assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
      assertThat(made.headers().firstValue("Location").orElse(""))
          .endsWith("/checkpoints/" + asked.getRequestId());
      assertThat(json(made).path("id").textValue()).isEqualTo(asked.getRequestId());
      assertThat(asked.getRun()).isEqualTo(run);
      assertThat(asked.getTrigger()).isEqualTo("detach");
    }
  }

  @Test
  void shouldAnswerThatItIsUnderWayWhenTheRunnerTakesLonger() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "cut-slow", 10);
        TraceLog log = bed.log()) {
      String run = carried(runner, log, "cut-slow");

      OrchestratorTestClient.Answer answer = bed.api().json("/runs/" + run + "/checkpoints", "{}");

      assertThat(answer.status()).as(answer.text()).isEqualTo(202);
      assertThat(answer.json().path("id").textValue()).isEqualTo(asked(runner).getRequestId());
      assertThat(answer.json().path("status").textValue()).isEqualTo("pending");
      FakeStore.awaitFollowed(run, false);
    }
  }

  @Test
  void shouldSayWhyTheRunnerCouldNotMakeIt() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "cut-failed", 10);
        TraceLog log = bed.log()) {
      String run = carried(runner, log, "cut-failed");

      CompletableFuture<HttpResponse<String>> answer =
          bed.api().later("/runs/" + run + "/checkpoints", "{}");
      Checkpoint asked = asked(runner);
      assertThat(asked.getTrigger()).isEqualTo("manual");
      runner.failCheckpoint(run, asked.getRequestId(), "no space left on device");

      assertThat(answer.join().statusCode()).isEqualTo(502);
      assertThat(json(answer.join()).path("type").textValue()).endsWith("/checkpoint-failed");
      assertThat(json(answer.join()).path("detail").textValue()).contains("no space left");
    }
  }

  @ParameterizedTest
  @CsvSource({"runner_assigned, was replaced", "run_failed, the run ended"})
  void shouldRefuseOnceTheRunnerIsGone(String event, String reason) {
    String workflow = "cut-" + event.replace('_', '-');
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), workflow, 10);
        TraceLog log = bed.log()) {
      String run = carried(runner, log, workflow);

      CompletableFuture<HttpResponse<String>> answer =
          bed.api().later("/runs/" + run + "/checkpoints", "{}");
      asked(runner);
      FakeStore.awaitFollowed(run, true);
      FakeStore.tell(run, "runner_assigned", "{\"epoch\":1}");
      FakeStore.tell(run, event, "{\"epoch\":2}");

      assertThat(answer.join().statusCode()).as(answer.join().body()).isEqualTo(502);
      assertThat(json(answer.join()).path("detail").textValue()).contains(run, reason);
    }
  }

  @Test
  void shouldRefuseWhereNoRunnerCarriesTheRun() {
    String run = bed.api().json("/runs", "{\"kind\":\"external\"}").json().path("id").textValue();

    OrchestratorTestClient.Answer answer = bed.api().json("/runs/" + run + "/checkpoints", "{}");

    assertThat(answer.status()).as(answer.text()).isEqualTo(409);
    assertThat(answer.json().path("detail").textValue()).contains("no runner carries it now");
  }

  @Test
  void shouldEraseAnEndedRunAndProveIt() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "cut-delete", 10);
        TraceLog log = bed.log()) {
      String run = carried(runner, log, "cut-delete");
      OrchestratorTestClient.Answer alive =
          bed.api()
              .send(
                  bed.api()
                      .request("/runs/" + run)
                      .header("Content-Type", "application/json")
                      .DELETE());
      log.append(run, Lane.runner(1), 2, new TraceEvent.RunCompleted(null));
      bed.api().await(run, shown -> shown.path("status").textValue().equals("completed"));
      runner.release(run, 1, "completed");
      String id = FakeStore.put(RunId.next(), run, "verified").getId();
      bed.api()
          .send(
              bed.api()
                  .request("/checkpoints/" + id + "/pin")
                  .header("Content-Type", "application/json")
                  .PUT(HttpRequest.BodyPublishers.noBody()));

      OrchestratorTestClient.Answer pinned =
          bed.api()
              .send(
                  bed.api()
                      .request("/runs/" + run)
                      .header("Content-Type", "application/json")
                      .DELETE());
      OrchestratorTestClient.Answer ended = bed.api().json("/runs/" + run + "/checkpoints", "{}");
      OrchestratorTestClient.Answer gone =
          bed.api()
              .send(
                  bed.api()
                      .request("/runs/" + run + "?force=true&now=true")
                      .header("Content-Type", "application/json")
                      .DELETE());

      assertThat(alive.status()).isEqualTo(409);
      assertThat(alive.json().path("detail").textValue()).contains("cancel it first");
      assertThat(pinned.status()).isEqualTo(409);
      assertThat(pinned.json().path("detail").textValue()).contains("pinned");
      assertThat(ended.status()).isEqualTo(409);
      assertThat(ended.json().path("detail").textValue()).contains("only an active run");
      assertThat(gone.status()).as(gone.text()).isEqualTo(200);
      assertThat(gone.json().at("/deleted/rows").intValue()).isEqualTo(1);
      assertThat(gone.json().at("/deleted/checkpoints").intValue()).isEqualTo(2);
      assertThat(gone.json().at("/left/rows").intValue()).isZero();
      assertThat(gone.json().path("packs_waiting").intValue()).isZero();
      assertThat(bed.api().get("/runs/" + run).status()).isEqualTo(404);
    }
  }
}
