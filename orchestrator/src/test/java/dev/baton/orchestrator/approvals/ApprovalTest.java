/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.approvals;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.grpc.Held;
import dev.baton.protocol.identity.ApiKeyFormat;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Transaction;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class ApprovalTest {
  private static final String SCHEMA =
      "{\"type\":\"object\",\"required\":[\"approved\"],\"properties\":{\"approved\":{\"type\":\"boolean\"}}}";

  private static final Duration SQL = Duration.ofSeconds(30);

  @Inject OrchestratorTestEnvironment bed;
  @Inject Pool pool;

  /** The name of the caller whose key the tests use. */
  private static String admin() {
    return "admin key " + ApiKeyFormat.id(OrchestratorTestClient.apiKey()).orElseThrow();
  }

  /** Creates a run with a waiting approval; returns its id. */
  private String ask(ScriptedRunner runner, TraceLog log, String workflow) {
    return ask(runner, log, workflow, SCHEMA);
  }

  private String ask(ScriptedRunner runner, TraceLog log, String workflow, String schema) {
    bed.api().workflow(workflow, true);
    String run =
        bed.api().json("/runs", "{\"workflow\":\"" + workflow + "\"}").json().get("id").textValue();
    runner.awaitAssign(run);
    log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted(runner.id(), 1L, "h", null, 0));
    log.append(
        run,
        Lane.runner(1),
        2,
        new TraceEvent.ApprovalRequested(
            "ok",
            run + "-ok-1",
            "Go?",
            Json.tree(schema.getBytes(StandardCharsets.UTF_8)),
            null,
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
      String path = "/approvals/" + run + "-ok-1";
      JsonNode waiting = bed.api().get("/approvals?status=waiting&run=" + run).json();
      assertThat(waiting.at("/approvals/0/prompt").textValue()).isEqualTo("Go?");
      assertThat(bed.api().get("/runs/" + run).json().at("/waiting/0/approval").textValue())
          .isEqualTo(run + "-ok-1");

      OrchestratorTestClient.Answer wrong =
          bed.api().json(path, "{\"answer\":{\"approved\":\"yes\"}}");
      OrchestratorTestClient.Answer nul =
          bed.api().json(path, "{\"answer\":{\"approved\":true,\"why\":\"a\\u0000b\"}}");
      OrchestratorTestClient.Answer first =
          bed.api()
              .json(
                  path, "{\"answer\":{\"approved\":true},\"by\":\"ann\"}", "Idempotency-Key", "k1");
      OrchestratorTestClient.Answer same =
          bed.api()
              .json(
                  "/checkpoints/" + run + "-ok-1",
                  "{\"answer\":{\"approved\":true},\"by\":\"ann\"}",
                  "Idempotency-Key",
                  "k1");
      OrchestratorTestClient.Answer second =
          bed.api().json(path, "{\"answer\":{\"approved\":false}}");

      assertThat(wrong.status()).isEqualTo(422);
      assertThat(wrong.json().at("/errors/0/path").textValue()).isEqualTo("/approved");
      assertThat(nul.status()).isEqualTo(400);
      assertThat(nul.json().get("detail").textValue()).contains("'answer' contains a NUL");
      assertThat(first.status()).isEqualTo(200);
      assertThat(same.status()).isEqualTo(200);
      assertThat(same.raw().headers().firstValue("Idempotent-Replayed")).contains("true");
      assertThat(second.status()).isEqualTo(409);
      assertThat(second.json().get("detail").textValue())
          .contains("answered by " + admin() + " (ann)");
      assertThat(runner.await(m -> m.hasAnswer()).getAnswer().getAnswer().toStringUtf8())
          .isEqualTo("{\"approved\":true}");
      assertThat(
              log.trace(
                  run,
                  t -> t.stream().anyMatch(r -> r.event() instanceof TraceEvent.ApprovalAnswered)))
          .filteredOn(r -> r.event() instanceof TraceEvent.ApprovalAnswered)
          .singleElement()
          .satisfies(r -> assertThat(r.id().seq()).isEqualTo(3));
      // A new stream of the same runner receives it again.
      Held held = Held.newBuilder().setRun(run).setEpoch(1).setStarted(true).build();
      try (ScriptedRunner again = new ScriptedRunner(bed.port(), "approval-runner", 10, held)) {
        assertThat(again.await(m -> m.hasAnswer()).getAnswer().getBy())
            .isEqualTo(admin() + " (ann)");
      }
    }
  }

  @Test
  void shouldRecordTheCallerThatAnswersWhateverNameItStates() {
    String reviewer =
        bed.api()
            .json("/api-keys", "{\"name\":\"reviewer\",\"role\":\"operator\"}")
            .json()
            .get("key")
            .textValue();
    OrchestratorTestClient asReviewer =
        new OrchestratorTestClient(bed.base(), Optional.of(reviewer));
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "approval-by", 10);
        TraceLog log = bed.log()) {
      String run = ask(runner, log, "approval-by");

      JsonNode answered =
          asReviewer
              .json(
                  "/approvals/" + run + "-ok-1",
                  "{\"answer\":{\"approved\":true},\"by\":\"%s\"}".formatted(admin()))
              .json();
      bed.api().json("/runs/" + run + "/pause", "{}");

      assertThat(answered.get("by").textValue()).isEqualTo("reviewer (" + admin() + ")");
      assertThat(
              log.trace(
                  run,
                  t -> t.stream().anyMatch(r -> r.event() instanceof TraceEvent.PauseRequested)))
          .extracting(TraceRecord::event)
          .anySatisfy(
              event ->
                  assertThat(event)
                      .isInstanceOfSatisfying(
                          TraceEvent.ApprovalAnswered.class,
                          answer ->
                              assertThat(answer.by()).isEqualTo("reviewer (" + admin() + ")")))
          .anySatisfy(
              event ->
                  assertThat(event)
                      .isInstanceOfSatisfying(
                          TraceEvent.PauseRequested.class,
                          pause -> assertThat(pause.by()).isEqualTo(admin())));
    }
  }

  @Test
  void shouldCheckAnAnswerWithoutTheRowOfItsRun() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "approval-lock", 10);
        TraceLog log = bed.log()) {
      String run =
          ask(runner, log, "approval-lock", "{\"type\":\"string\",\"pattern\":\"^(a+)+$\"}");
      SqlConnection other = pool.getConnection().await().atMost(SQL);
      try {
        Transaction holding = other.begin().await().atMost(SQL);
        other
            .preparedQuery("SELECT id FROM orchestrator.run WHERE id = $1 FOR UPDATE")
            .execute(Tuple.of(run))
            .await()
            .atMost(SQL);

        OrchestratorTestClient.Answer wrong =
            bed.api()
                .json(
                    "/approvals/" + run + "-ok-1",
                    "{\"answer\":\"%sb\"}".formatted("a".repeat(40)));

        assertThat(wrong.status()).as(wrong.text()).isEqualTo(422);
        holding.rollback().await().atMost(SQL);
      } finally {
        other.closeAndForget();
      }
      assertThat(bed.api().json("/approvals/" + run + "-ok-1", "{\"answer\":\"aaa\"}").status())
          .isEqualTo(200);
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
                              "/approvals/" + run + "-ok-1",
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
      assertThat(bed.api().get("/approvals/" + run + "-ok-1").json().get("status").textValue())
          .isEqualTo("expired");
      assertThat(
              bed.api()
                  .json("/approvals/" + run + "-ok-1", "{\"answer\":{\"approved\":true}}")
                  .status())
          .isEqualTo(409);
    }
  }

  /**
   * Creates a run whose approval is for these files and has a default that applies after a while.
   */
  private String askAbout(
      ScriptedRunner runner, TraceLog log, String workflow, String cut, @Nullable Instant expires) {
    bed.api().workflow(workflow, true);
    String run =
        bed.api().json("/runs", "{\"workflow\":\"" + workflow + "\"}").json().get("id").textValue();
    runner.awaitAssign(run);
    log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted(runner.id(), 1L, "h", null, 0));
    log.append(
        run,
        Lane.runner(1),
        2,
        new TraceEvent.ApprovalRequested(
            "ok", run + "-ok-1", "Go?", null, BooleanNode.FALSE, expires, cut, null));
    bed.api().await(run, shown -> shown.get("status").textValue().equals("waiting"));
    return run;
  }

  @Test
  void shouldRefuseAnAnswerAboutOtherFilesThanThoseOfTheQuestion() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "approval-files", 10);
        TraceLog log = bed.log()) {
      String run = askAbout(runner, log, "approval-files", "sha256:aa", null);
      String path = "/approvals/" + run + "-ok-1";
      assertThat(bed.api().get("/runs/" + run).json().at("/waiting/0/checkpoint").textValue())
          .isEqualTo("sha256:aa");

      OrchestratorTestClient.Answer other =
          bed.api().json(path, "{\"answer\":true,\"checkpoint\":\"sha256:bb\"}");
      OrchestratorTestClient.Answer right =
          bed.api().json(path, "{\"answer\":true,\"checkpoint\":\"sha256:aa\",\"by\":\"ann\"}");

      assertThat(other.status()).isEqualTo(409);
      assertThat(other.json().get("detail").textValue())
          .contains("is for checkpoint 'sha256:aa'", "for 'sha256:bb'");
      assertThat(right.status()).isEqualTo(200);
      assertThat(
              log.trace(
                  run,
                  t -> t.stream().anyMatch(r -> r.event() instanceof TraceEvent.ApprovalAnswered)))
          .last()
          .satisfies(
              record ->
                  assertThat(((TraceEvent.ApprovalAnswered) record.event()).cut())
                      .isEqualTo("sha256:aa"));
    }
  }

  @Test
  void shouldNameTheNewQuestionWhereARunAsksAgainOnOtherFiles() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "approval-again", 10);
        TraceLog log = bed.log()) {
      String run = askAbout(runner, log, "approval-again", "sha256:aa", null);
      log.append(
          run,
          Lane.runner(1),
          3,
          new TraceEvent.ApprovalRequested(
              "ok", run + "-ok-1-2", "Go?", null, null, null, "sha256:bb", null));
      bed.api()
          .await(run, shown -> shown.at("/waiting/0/approval").asText().equals(run + "-ok-1-2"));

      OrchestratorTestClient.Answer old =
          bed.api().json("/approvals/" + run + "-ok-1", "{\"answer\":true}");

      assertThat(old.status()).isEqualTo(409);
      assertThat(old.json().get("detail").textValue())
          .contains("was replaced by " + run + "-ok-1-2");
      assertThat(bed.api().json("/checkpoints/" + run + "-ok-1-2", "{\"answer\":true}").status())
          .isEqualTo(200);
    }
  }

  @Test
  void shouldRecordADefaultAnswerAsGivenByTheTimeout() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "approval-default", 10);
        TraceLog log = bed.log()) {
      String run =
          askAbout(runner, log, "approval-default", "sha256:aa", Instant.now().minusSeconds(1));
      String path = "/approvals/" + run + "-ok-1";
      OrchestratorTestClient.Answer late = bed.api().json(path, "{\"answer\":true}");
      assertThat(late.status()).isEqualTo(409);
      assertThat(late.json().get("detail").textValue())
          .contains("expired at", "its default answer holds");

      log.append(
          run,
          Lane.runner(1),
          3,
          new TraceEvent.StepFailed(
              "ok",
              "approval",
              1,
              1,
              dev.baton.protocol.trace.Failure.of("rejected", "the answer was no"),
              null,
              null,
              null,
              false));

      JsonNode shown =
          bed.api()
              .await(path, "approval", view -> !view.get("status").textValue().equals("waiting"));
      assertThat(shown.get("status").textValue()).isEqualTo("answered");
      assertThat(shown.get("by").textValue()).isEqualTo("timeout");
      assertThat(shown.get("answer").booleanValue()).isFalse();
      assertThat(shown.hasNonNull("answered_at")).isTrue();
    }
  }

  @Test
  void shouldListApprovalsPageByPage() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "approval-pages", 10);
        TraceLog log = bed.log()) {
      String run = askAbout(runner, log, "approval-pages", "sha256:aa", null);
      for (int i = 3; i < 8; i++) {
        log.append(
            run,
            Lane.runner(1),
            i,
            new TraceEvent.ApprovalRequested(
                "ok" + i, run + "-ok" + i + "-1", "Go?", null, null, null, null, null));
      }
      bed.api().await(run, shown -> shown.get("waiting").size() == 6);
      List<String> seen = new ArrayList<>();
      String cursor = "";
      do {
        JsonNode page =
            bed.api().get("/approvals?status=waiting&limit=4&run=" + run + cursor).json();
        page.get("approvals").forEach(approval -> seen.add(approval.get("step").textValue()));
        cursor =
            page.hasNonNull("next_cursor") ? "&cursor=" + page.get("next_cursor").asText() : "";
      } while (!cursor.isEmpty());

      assertThat(seen).containsExactly("ok", "ok3", "ok4", "ok5", "ok6", "ok7");
      assertThat(bed.api().get("/approvals?cursor=nonsense").status()).isEqualTo(400);
    }
  }
}
