/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.testing.FakeStore;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestClient.Answer;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TestConfigFactory;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.grpc.CreateRunRequest;
import dev.baton.protocol.grpc.RunsServiceGrpc;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceEvent;
import io.grpc.ManagedChannel;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.inject.Inject;
import java.net.URLDecoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class ProjectTest {
  private static final Duration BOUND = Duration.ofSeconds(30);

  @Inject OrchestratorTestEnvironment bed;
  @Inject Pool pool;
  @Inject ProjectLimitRepository projects;

  private Answer send(String key, String method, String path, String body) {
    OrchestratorTestClient client = new OrchestratorTestClient(bed.base(), Optional.of(key));
    return client.send(
        client
            .request(path)
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body)));
  }

  private Answer put(String name, String limits) {
    return send(
        OrchestratorTestClient.apiKey(),
        "PUT",
        "/projects/" + name,
        limits.isEmpty() ? "{}" : "{\"limits\": " + limits + "}");
  }

  private String key(String projects) {
    return bed.api()
        .json("/api-keys", "{\"name\": \"p\", \"projects\": " + projects + "}")
        .json()
        .path("key")
        .asText();
  }

  private Answer create(String workflow, String project) {
    return bed.api()
        .json("/runs", "{\"workflow\": \"%s\", \"project\": \"%s\"}".formatted(workflow, project));
  }

  private Answer external(String project, String... headers) {
    return bed.api()
        .json(
            "/runs",
            "{\"kind\": \"external\", \"workflow\": \"x\", \"project\": \"" + project + "\"}",
            headers);
  }

  private static void complete(TraceLog log, ScriptedRunner runner, String run) {
    log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted(runner.id(), 1L, "h", null, 0));
    log.append(run, Lane.runner(1), 2, new TraceEvent.RunCompleted(null));
    runner.release(run, 1, "completed");
  }

  @Test
  void shouldCreateShowLimitAndDeleteAProject() {
    assertThat(put("made", "").status()).isEqualTo(201);
    assertThat(put("made", "{\"runs\": 2, \"waiting\": 3, \"rate\": 0.5}").status()).isEqualTo(200);
    JsonNode kept = put("made", "").json();
    assertThat(kept.path("limits").toString()).isEqualTo("{\"runs\":2,\"waiting\":3,\"rate\":0.5}");
    assertThat(kept.path("created_by").asText()).startsWith("admin key ");
    assertThat(bed.api().get("/projects/made").json()).isEqualTo(kept);
    assertThat(put("made", "{\"runs\": 4}").json().at("/limits/rate").isNumber()).isFalse();
    assertThat(external("made").status()).isEqualTo(201);

    Answer refused = send(OrchestratorTestClient.apiKey(), "DELETE", "/projects/made", "");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.json().path("detail").asText()).contains("1 runs", "/runs/bulk/delete");

    assertThat(put("empty", "").status()).isEqualTo(201);
    assertThat(send(OrchestratorTestClient.apiKey(), "DELETE", "/projects/empty", "").status())
        .isEqualTo(200);
    assertThat(bed.api().get("/projects/empty").status()).isEqualTo(404);
  }

  @Test
  void shouldNameTheLimitThatIsNotAllowed() {
    Map<String, String> refused =
        Map.of(
            "{\"runs\": -1}", "runs -1 is not allowed; allowed: 0 to 1000000",
            "{\"runs\": 2000000}", "runs 2000000 is not allowed",
            "{\"waiting\": 5}", "'waiting' without 'runs' is not allowed",
            "{\"runs\": 1, \"waiting\": -5}", "waiting -5 is not allowed",
            "{\"rate\": 0}", "rate 0.0 is not allowed; allowed: 0.001 to 100000",
            "{\"rate\": \"NaN\"}", "rate NaN is not allowed",
            "{\"storage_bytes\": -1}", "storage_bytes -1 is not allowed",
            "{\"storage_bytes\": 1000000000000001}",
                "storage_bytes 1000000000000001 is not allowed; allowed: 0 to 1000000000000000");
    refused.forEach(
        (limits, detail) -> {
          Answer answer = put("odd", limits);
          assertThat(answer.status()).as(limits).isEqualTo(400);
          assertThat(answer.json().path("detail").asText()).contains(detail);
        });
    for (String field : List.of("runs", "storage_bytes")) {
      for (String value : List.of("\"many\"", "2.5", "99999999999999999999", "[]")) {
        Answer answer = put("odd", "{\"%s\": %s}".formatted(field, value));
        assertThat(answer.status()).as(field + value).isEqualTo(400);
        assertThat(answer.json().at("/errors/0/path").asText()).isEqualTo("limits." + field);
      }
    }
    assertThat(put("odd", "{\"run\": 5}").text()).contains("unknown field 'run'", "waiting");
    assertThat(bed.api().get("/projects/odd").status()).isEqualTo(404);
  }

  @Test
  void shouldNameTheProjectWhoseNameIsNotAllowed() {
    for (String name :
        List.of("Odd", "-odd", "_odd", "od.d", "o".repeat(64), "%C3%B6dd", "o%20d")) {
      Answer answer = put(name, "");
      assertThat(answer.status()).as(name).isEqualTo(400);
      assertThat(answer.json().path("detail").asText())
          .contains(
              "project '" + URLDecoder.decode(name, StandardCharsets.UTF_8).substring(0, 3),
              "allowed: 1 to 63 of a-z");
    }
  }

  @Test
  void shouldFindNoProjectThatWasNotCreated() {
    assertThat(external("unmade").status()).isEqualTo(201);
    for (String method : List.of("GET", "DELETE")) {
      Answer answer = send(OrchestratorTestClient.apiKey(), method, "/projects/unmade", "");
      assertThat(answer.status()).as(method).isEqualTo(404);
      assertThat(answer.json().path("detail").asText()).contains("no project 'unmade'");
    }
  }

  @Test
  void shouldShowOnlyProjectsInWhichTheCallerHasARole() {
    put("seen", "");
    put("hidden", "{\"runs\": 7}");
    String key = key("{\"seen\": \"admin\"}");

    assertThat(send(key, "GET", "/projects", "").json().path("projects").findValuesAsText("name"))
        .containsExactly("seen");
    Answer foreign = send(key, "GET", "/projects/hidden", "");
    Answer unknown = send(key, "GET", "/projects/absent", "");
    assertThat(foreign.status()).isEqualTo(404);
    assertThat(foreign.text().replace("hidden", "absent")).isEqualTo(unknown.text());
    for (String name : List.of("seen", "hidden", "absent")) {
      assertThat(send(key, "PUT", "/projects/" + name, "{}").status()).isEqualTo(403);
      assertThat(send(key, "DELETE", "/projects/" + name, "").status()).isEqualTo(403);
    }
  }

  @Test
  void shouldKeepTheLimitOfRunsAcrossWorkflows() {
    bed.api().workflow("project-a", true);
    bed.api().workflow("project-b", true);
    put("narrow", "{\"runs\": 2}");
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "project-runner", 100);
        TraceLog log = bed.log()) {
      List<CompletableFuture<HttpResponse<String>>> created = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        created.add(
            bed.api()
                .later(
                    "/runs",
                    "{\"workflow\": \"project-%s\", \"project\": \"narrow\"}"
                        .formatted(i % 2 == 0 ? "a" : "b")));
      }
      created.forEach(one -> assertThat(one.join().statusCode()).isEqualTo(201));
      Set<String> ended = new HashSet<>();
      List<String> active = new ArrayList<>();
      active.add(runner.await(m -> m.hasAssign()).getAssign().getRun());
      active.add(runner.await(m -> m.hasAssign()).getAssign().getRun());
      JsonNode queued =
          bed.api()
              .get("/runs?project=narrow&limit=100")
              .json()
              .path("runs")
              .valueStream()
              .filter(run -> run.hasNonNull("queued"))
              .filter(run -> run.at("/queued/position").asInt() == 1)
              .findFirst()
              .orElseThrow();
      assertThat(queued.at("/queued/reason").asText()).isEqualTo("project_limit");
      assertThat(queued.at("/queued/limit").asInt()).isEqualTo(2);
      assertThat(bed.api().get("/projects/narrow").json().path("queued").asInt()).isEqualTo(10);

      while (ended.size() < 12) {
        assertThat(runner.waiting()).isZero();
        assertThat(bed.api().get("/projects/narrow").json().path("under_way").asInt())
            .isLessThanOrEqualTo(2);
        String run = active.removeFirst();
        complete(log, runner, run);
        ended.add(run);
        if (ended.size() + active.size() < 12) {
          active.add(runner.await(m -> m.hasAssign()).getAssign().getRun());
        }
      }
    }
  }

  @Test
  void shouldRefuseRunsBeyondTheWaitingOnes() {
    bed.api().workflow("project-wait", true);
    put("waiting", "{\"runs\": 0, \"waiting\": 3}");
    for (int i = 0; i < 3; i++) {
      assertThat(create("project-wait", "waiting").status()).isEqualTo(201);
    }

    Answer refused = create("project-wait", "waiting");

    assertThat(refused.status()).as(refused.text()).isEqualTo(429);
    assertThat(refused.json().path("type").asText()).endsWith("/project-limit");
    assertThat(refused.json().path("detail").asText()).contains("3 runs that wait");
    assertThat(refused.raw().headers().firstValue("Retry-After")).contains("5");
    assertThat(external("waiting").status()).isEqualTo(201);
    bed.api().json("/runs/bulk/cancel", "{\"filter\": {\"project\": \"waiting\"}}");
  }

  @Test
  void shouldRefuseRunsBeyondTheRate() {
    put("slow", "{\"rate\": 0.01}");
    assertThat(external("slow").status()).isEqualTo(201);

    Answer refused = external("slow", "Idempotency-Key", "slow-1");

    assertThat(refused.status()).as(refused.text()).isEqualTo(429);
    assertThat(Integer.parseInt(refused.raw().headers().firstValue("Retry-After").orElseThrow()))
        .isBetween(50, 100);
    put("slow", "{\"rate\": 1000}");
    // The refused request left no key, and the answer of the accepted one counts once.
    bed.api()
        .await(
            "/projects/slow",
            "the rate",
            project -> external("slow", "Idempotency-Key", "slow-1").status() == 201);
    put("slow", "{\"rate\": 0.01}");
    assertThat(external("slow", "Idempotency-Key", "slow-1").status()).isEqualTo(201);
    assertThat(external("free-of-limits").status()).isEqualTo(201);
  }

  @Test
  void shouldRefuseRunsOnceTheCheckpointsKeepTooManyBytes() {
    FakeStore.store("heavy", 999);
    put("heavy", "{\"storage_bytes\": 1000}");
    awaitStored("heavy", 999);
    assertThat(external("heavy").status()).isEqualTo(201);

    FakeStore.store("heavy", 1_000);
    put("heavy", "{\"storage_bytes\": 1000}");
    awaitStored("heavy", 1_000);
    Answer refused = external("heavy");

    assertThat(refused.status()).as(refused.text()).isEqualTo(429);
    assertThat(refused.json().path("type").asText()).endsWith("/project-limit");
    assertThat(refused.json().path("detail").asText())
        .contains("'heavy' keeps 1000 bytes", "'storage_bytes' is 1000", "/runs/bulk/delete");
    assertThat(refused.raw().headers().firstValue("Retry-After")).contains("60");
    assertThat(external("light").status()).isEqualTo(201);

    put("heavy", "{\"storage_bytes\": 2000}");
    assertThat(external("heavy").status()).isEqualTo(201);
    assertThat(put("heavy", "{}").json().has("stored_bytes")).isFalse();
  }

  private void awaitStored(String project, long bytes) {
    bed.api()
        .await(
            "/projects/" + project,
            "the measurement",
            shown -> shown.path("stored_bytes").asLong(-1) == bytes);
  }

  @Test
  void shouldShareMeasurementsAmongReplicas() {
    put("measured", "{\"storage_bytes\": 7}");
    awaitStored("measured", 0);
    FakeStore.store("measured", 5);

    assertThat(claim(Duration.ofHours(1))).doesNotContain("measured");
    List<List<String>> claims =
        Uni.join()
            .all(
                projects.claimMeasurements(Duration.ofMillis(1), 500),
                projects.claimMeasurements(Duration.ofMillis(1), 500))
            .andFailFast()
            .await()
            .atMost(BOUND);

    assertThat(claims.stream().flatMap(List::stream)).contains("measured");
    put("measured", "{}");
    assertThat(claim(Duration.ZERO)).doesNotContain("measured");
  }

  private List<String> claim(Duration every) {
    return projects.claimMeasurements(every, 500).await().atMost(BOUND);
  }

  @Test
  void shouldRefuseRunsOverGrpcWithTheSameReason() {
    bed.api().workflow("project-grpc", true);
    put("grpc", "{\"runs\": 0, \"waiting\": 0}");
    ManagedChannel channel = bed.channel(Optional.of(OrchestratorTestClient.apiKey()));
    try {
      assertThatThrownBy(
              () ->
                  RunsServiceGrpc.newBlockingStub(channel)
                      .createRun(
                          CreateRunRequest.newBuilder()
                              .setWorkflow("project-grpc")
                              .setProject("grpc")
                              .build()))
          .hasMessageContaining("RESOURCE_EXHAUSTED")
          .hasMessageContaining("project 'grpc' has 0 runs that wait, at most 0 may");
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void shouldRequireProjectsOnRequest() {
    put("required", "");
    ProjectLimitGuard guard =
        new ProjectLimitGuard(TestConfigFactory.of(Map.of("baton.projects.required", "true")));

    Map<Integer, ProblemException> refused =
        pool.withTransaction(
                tx ->
                    guard.decide(
                        tx,
                        List.of(
                            new ProjectLimitGuard.Demand(0, "required", 1, 1),
                            new ProjectLimitGuard.Demand(1, "never-created", 1, 1))))
            .await()
            .atMost(BOUND);

    assertThat(refused).containsOnlyKeys(1);
    assertThat(refused.get(1)).extracting(ProblemException::kind).isEqualTo(ProblemKind.NOT_FOUND);
  }
}
