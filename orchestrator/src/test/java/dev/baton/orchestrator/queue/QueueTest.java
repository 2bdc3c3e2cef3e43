/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.outbox.OutboxRelay;
import dev.baton.orchestrator.reconcile.QueuedEpoch;
import dev.baton.orchestrator.reconcile.RunObservation;
import dev.baton.orchestrator.reconcile.RunTransaction;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.trace.EventTypeRegistry;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.protocol.workflow.IsolationMode;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.inject.Inject;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class QueueTest {
  @Inject OrchestratorTestEnvironment bed;
  @Inject Pool pool;
  @Inject OutboxRelay relay;
  @Inject RunTransaction transaction;

  private void workflow(String name, int limit) {
    String yaml =
        "name: %s\nrunner: shared\nconcurrency: %d\nsteps:\n  - id: a\n    transform: '1'\n"
            .formatted(name, limit);
    assertThat(bed.api().post("/workflows", "application/yaml", yaml).status()).isEqualTo(201);
  }

  private String create(String workflow, String more) {
    OrchestratorTestClient.Answer created =
        bed.api().json("/runs", "{\"workflow\":\"%s\"%s}".formatted(workflow, more));
    assertThat(created.status()).as(created.text()).isEqualTo(201);
    return created.json().get("id").textValue();
  }

  private JsonNode limit(String workflow, int limit) {
    OrchestratorTestClient.Answer set =
        bed.api()
            .send(
                bed.api()
                    .request("/workflows/" + workflow + "/limit")
                    .header("Content-Type", "application/json")
                    .PUT(HttpRequest.BodyPublishers.ofString("{\"limit\":" + limit + "}")));
    assertThat(set.status()).as(set.text()).isEqualTo(200);
    return set.json();
  }

  private static void start(TraceLog log, ScriptedRunner runner, String run, int epoch) {
    log.append(
        run, Lane.runner(epoch), 1, new TraceEvent.RunnerStarted(runner.id(), 1L, "h", null, 0));
  }

  private static void complete(TraceLog log, ScriptedRunner runner, String run, int epoch) {
    start(log, runner, run, epoch);
    log.append(run, Lane.runner(epoch), 2, new TraceEvent.RunCompleted(null));
    runner.release(run, epoch, "completed");
  }

  private static void fail(TraceLog log, ScriptedRunner runner, String run) {
    start(log, runner, run, 1);
    log.append(run, Lane.runner(1), 2, new TraceEvent.RunFailed(null, Failure.of("x", "y")));
    runner.release(run, 1, "failed");
  }

  private JsonNode queued(String run, int position) {
    return bed.api()
        .await(run, shown -> shown.path("queued").path("position").asInt() == position)
        .get("queued");
  }

  private static List<String> types(List<TraceRecord> trace) {
    return trace.stream()
        .map(
            record ->
                EventTypeRegistry.of(record.event()).substring(EventTypeRegistry.PREFIX.length()))
        .toList();
  }

  @Test
  void shouldNeverLetMoreRunsBeginThanTheLimitAllowsWhoeverCreatesAndAdmitsThemAtOnce() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    workflow("queue-many", 3);
    // One controller per replica.
    List<RunAdmissionController> replicas =
        IntStream.range(0, 3)
            .mapToObj(i -> new RunAdmissionController(pool, relay, transaction))
            .toList();
    replicas.forEach(replica -> replica.onStart(new StartupEvent()));
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "queue-many", 100);
        TraceLog log = bed.log()) {
      int runs = 40;
      List<CompletableFuture<?>> created = new ArrayList<>();
      for (int i = 0; i < runs; i++) {
        created.add(bed.api().later("/runs", "{\"workflow\":\"queue-many\"}"));
      }
      Deque<String> underWay = new ArrayDeque<>();
      Set<String> ended = new HashSet<>();
      while (ended.size() < runs) {
        if (ended.size() + underWay.size() < runs
            && (underWay.isEmpty() || random.nextInt(3) > 0)
            && (underWay.size() < 3)) {
          String run = runner.await(m -> m.hasAssign()).getAssign().getRun();
          assertThat(ended).doesNotContain(run);
          underWay.add(run);
        } else {
          replicas.forEach(RunAdmissionController::wake);
          String run = underWay.remove();
          complete(log, runner, run, 1);
          ended.add(run);
        }
        assertThat(runner.waiting() + underWay.size()).isLessThanOrEqualTo(3);
      }
      created.forEach(CompletableFuture::join);
      JsonNode idle =
          bed.api()
              .await(
                  "/workflows/queue-many/limit",
                  "the queue",
                  shown -> shown.get("under_way").asInt() == 0);
      assertThat(idle.get("queued").asInt()).isZero();
      assertThat(idle.get("limit").asInt()).isEqualTo(3);
    } finally {
      replicas.forEach(replica -> replica.onStop(new ShutdownEvent()));
    }
  }

  @Test
  void shouldKeepTheLimitsOfAProjectAndItsWorkflowsUnderConcurrentRequests() {
    workflow("queue-project-a", 2);
    bed.api().workflow("queue-project-b", true);
    String limit = "{\"limits\": {\"runs\": 5}}";
    assertThat(
            bed.api()
                .send(
                    bed.api()
                        .request("/projects/queue-project")
                        .header("Content-Type", "application/json")
                        .PUT(HttpRequest.BodyPublishers.ofString(limit)))
                .status())
        .isEqualTo(201);
    List<RunAdmissionController> replicas =
        IntStream.range(0, 3)
            .mapToObj(i -> new RunAdmissionController(pool, relay, transaction))
            .toList();
    replicas.forEach(replica -> replica.onStart(new StartupEvent()));
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "queue-project", 100);
        TraceLog log = bed.log()) {
      int runs = 50;
      List<CompletableFuture<HttpResponse<String>>> created = new ArrayList<>();
      for (int i = 0; i < runs; i++) {
        created.add(
            bed.api()
                .later(
                    "/runs",
                    "{\"workflow\":\"queue-project-%s\",\"project\":\"queue-project\"}"
                        .formatted(i % 2 == 0 ? "a" : "b")));
      }
      created.forEach(one -> assertThat(one.join().statusCode()).isEqualTo(201));
      Deque<String> underWay = new ArrayDeque<>();
      Set<String> ended = new HashSet<>();
      while (ended.size() < runs) {
        // At the end only runs of the workflow with the smaller limit may be left.
        while (underWay.size() < Math.min(2, runs - ended.size()) || runner.waiting() > 0) {
          underWay.add(runner.await(m -> m.hasAssign()).getAssign().getRun());
        }
        assertThat(underWay).hasSizeLessThanOrEqualTo(5);
        assertThat(shownUnderWay("/projects/queue-project")).isLessThanOrEqualTo(5);
        assertThat(shownUnderWay("/workflows/queue-project-a/limit")).isLessThanOrEqualTo(2);
        replicas.forEach(RunAdmissionController::wake);
        String run = underWay.remove();
        complete(log, runner, run, 1);
        assertThat(ended.add(run)).isTrue();
      }
    } finally {
      replicas.forEach(replica -> replica.onStop(new ShutdownEvent()));
    }
  }

  private int shownUnderWay(String path) {
    return bed.api().get(path).json().path("under_way").asInt();
  }

  @Test
  void shouldGiveOnePlaceOnceHoweverManyReplicasSeeItAtTheSameTime() throws Exception {
    workflow("queue-race", 1);
    List<RunAdmissionController> replicas =
        IntStream.range(0, 8)
            .mapToObj(i -> new RunAdmissionController(pool, relay, transaction))
            .toList();
    replicas.forEach(replica -> replica.onStart(new StartupEvent()));
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "queue-race", 100);
        TraceLog log = bed.log()) {
      limit("queue-race", 0);
      List<String> runs = new ArrayList<>();
      for (int i = 0; i < 24; i++) {
        runs.add(create("queue-race", ""));
      }
      queued(runs.getLast(), runs.size());
      for (int round = 0; round < 6; round++) {
        limit("queue-race", 1);
        for (int i = 0; i < 20; i++) {
          replicas.forEach(RunAdmissionController::wake);
          Thread.sleep(1); // Varies the interleaving.
        }
        String run = runner.await(m -> m.hasAssign()).getAssign().getRun();

        assertThat(limit("queue-race", 0).get("under_way").asInt())
            .as("round %d", round)
            .isEqualTo(1);
        assertThat(runner.waiting()).isZero();
        complete(log, runner, run, 1);
        bed.api()
            .await(
                "/workflows/queue-race/limit",
                "the place is free",
                shown -> shown.get("under_way").asInt() == 0);
      }
    } finally {
      replicas.forEach(replica -> replica.onStop(new ShutdownEvent()));
      bed.api().json("/runs/bulk/cancel", "{\"filter\":{\"workflow\":\"queue-race\"}}");
    }
  }

  @Test
  void shouldLetTheHigherPriorityBeginFirstAndThenTheOlder() {
    workflow("queue-priority", 1);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "queue-priority", 100);
        TraceLog log = bed.log()) {
      String first = create("queue-priority", "");
      runner.awaitAssign(first);
      String low = create("queue-priority", ",\"priority\":-5");
      String old = create("queue-priority", ",\"priority\":7");
      String young = create("queue-priority", ",\"priority\":7");
      String high = create("queue-priority", ",\"priority\":100");

      assertThat(queued(high, 1).get("limit").asInt()).isEqualTo(1);
      queued(old, 2);
      queued(young, 3);
      queued(low, 4);
      assertThat(bed.api().get("/runs/" + low).json().get("status").textValue())
          .isEqualTo("pending");

      String before = first;
      for (String next : List.of(high, old, young, low)) {
        assertThat(runner.waiting()).isZero();
        complete(log, runner, before, 1);
        assertThat(runner.await(m -> m.hasAssign()).getAssign().getRun()).isEqualTo(next);
        before = next;
      }
      complete(log, runner, before, 1);
      assertThat(
              types(
                  log.trace(
                      low,
                      trace ->
                          trace.stream()
                              .anyMatch(r -> r.event() instanceof TraceEvent.RunCompleted))))
          .containsExactly("run_created", "runner_assigned", "runner_started", "run_completed");
    }
  }

  @Test
  void shouldGiveScarceSlotsToTheHigherPriorityFirst() {
    bed.api().workflow("queue-slots", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "queue-slots", 1);
        TraceLog log = bed.log()) {
      String first = create("queue-slots", "");
      runner.awaitAssign(first);
      String low = create("queue-slots", ",\"priority\":1");
      String high = create("queue-slots", ",\"priority\":2");
      awaitSlotWaiters(List.of(low, high));

      complete(log, runner, first, 1);

      assertThat(runner.await(m -> m.hasAssign()).getAssign().getRun()).isEqualTo(high);
      complete(log, runner, high, 1);
      assertThat(runner.await(m -> m.hasAssign()).getAssign().getRun()).isEqualTo(low);
      complete(log, runner, low, 1);
    }
  }

  private void awaitSlotWaiters(List<String> runs) {
    long end = System.nanoTime() + 20_000_000_000L;
    while (true) {
      long waiting =
          pool.preparedQuery(
                  "SELECT count(*) FROM orchestrator.outbox WHERE run = ANY($1) AND awaits_slot")
              .execute(io.vertx.mutiny.sqlclient.Tuple.of(runs.toArray(String[]::new)))
              .await()
              .indefinitely()
              .iterator()
              .next()
              .getLong(0);
      if (waiting == runs.size()) {
        return;
      }
      assertThat(System.nanoTime()).isLessThan(end);
    }
  }

  @Test
  void shouldCancelAQueuedRunWithoutGivingItAPlace() {
    workflow("queue-cancel", 1);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "queue-cancel", 100);
        TraceLog log = bed.log()) {
      String first = create("queue-cancel", "");
      runner.awaitAssign(first);
      String queued = create("queue-cancel", "");
      queued(queued, 1);

      assertThat(bed.api().json("/runs/" + queued + "/cancel", "{}").status()).isEqualTo(202);

      JsonNode shown =
          bed.api().await(queued, run -> run.get("status").textValue().equals("cancelled"));
      assertThat(shown.has("queued")).isFalse();
      assertThat(types(log.trace(queued, trace -> trace.size() >= 2)))
          .containsExactly("run_created", "run_cancelled");
      complete(log, runner, first, 1);
      String next = create("queue-cancel", "");
      runner.awaitAssign(next);
      complete(log, runner, next, 1);
    }
  }

  @Test
  void shouldEndAQueuedRunAtItsDeadline() {
    workflow("queue-deadline", 1);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "queue-deadline", 100);
        TraceLog log = bed.log()) {
      String first = create("queue-deadline", "");
      runner.awaitAssign(first);
      String late = create("queue-deadline", ",\"deadline\":\"1s\"");

      JsonNode shown = bed.api().await(late, run -> run.get("status").textValue().equals("lost"));

      assertThat(shown.at("/error/code").textValue()).isEqualTo("deadline_exceeded");
      assertThat(shown.path("queued").isObject()).isFalse();
      complete(log, runner, first, 1);
    }
  }

  @Test
  void shouldEndARunThatWaitsForASlotAtItsDeadline() {
    bed.api().workflow("slot-deadline", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "slot-deadline", 1);
        TraceLog log = bed.log()) {
      String first = create("slot-deadline", "");
      runner.awaitAssign(first);
      String late = create("slot-deadline", ",\"deadline\":\"1s\"");

      JsonNode shown = bed.api().await(late, run -> run.get("status").textValue().equals("lost"));

      assertThat(shown.at("/error/code").textValue()).isEqualTo("deadline_exceeded");
      complete(log, runner, first, 1);
    }
  }

  @Test
  void shouldQueueAResumeAndLetACancelWithdrawIt() {
    workflow("queue-resume", 1);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "queue-resume", 100);
        TraceLog log = bed.log()) {
      String failed = create("queue-resume", "");
      runner.awaitAssign(failed);
      fail(log, runner, failed);
      String other = create("queue-resume", "");
      runner.awaitAssign(other);

      assertThat(bed.api().json("/runs/" + failed + "/resume", "").status()).isEqualTo(202);
      queued(failed, 1);
      assertThat(bed.api().get("/runs/" + failed).json().get("status").textValue())
          .isEqualTo("failed");
      assertThat(bed.api().json("/runs/" + failed + "/resume", "").status()).isEqualTo(409);
      OrchestratorTestClient.Answer undeletable =
          bed.api()
              .send(
                  bed.api()
                      .request("/runs/" + failed)
                      .header("Content-Type", "application/json")
                      .DELETE());
      assertThat(undeletable.status()).isEqualTo(409);
      assertThat(bed.api().json("/runs/" + failed + "/cancel", "{}").status()).isEqualTo(202);
      JsonNode withdrawn = bed.api().await(failed, run -> !run.path("queued").isObject());
      assertThat(withdrawn.get("status").textValue()).isEqualTo("failed");

      assertThat(bed.api().json("/runs/" + failed + "/resume", "").status()).isEqualTo(202);
      queued(failed, 1);
      complete(log, runner, other, 1);
      assertThat(runner.awaitAssign(failed).getEpoch()).isEqualTo(2);
      complete(log, runner, failed, 2);
      bed.api().await(failed, run -> run.get("status").textValue().equals("completed"));
      assertThat(
              log.trace(failed, trace -> trace.size() >= 7).stream()
                  .filter(record -> record.id().lane().isControl())
                  .map(record -> record.id().seq())
                  .toList())
          .containsExactly(1L, 2L, 3L);
    }
  }

  @Test
  void shouldLetAnOperatorSetALimitAndTakeItAway() {
    bed.api().workflow("queue-limit", true);
    assertThat(bed.api().get("/workflows/queue-limit/limit").json().has("limit")).isFalse();
    assertThat(limit("queue-limit", 0).get("limit").asInt()).isZero();
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "queue-limit", 100);
        TraceLog log = bed.log()) {
      String one = create("queue-limit", "");
      String two = create("queue-limit", "");
      queued(one, 1);
      queued(two, 2);

      limit("queue-limit", 1);
      runner.awaitAssign(one);
      queued(two, 1);
      assertThat(
              bed.api()
                  .send(
                      bed.api()
                          .request("/workflows/queue-limit/limit")
                          .header("Content-Type", "application/json")
                          .DELETE())
                  .json()
                  .has("override"))
          .isFalse();
      runner.awaitAssign(two);
      complete(log, runner, one, 1);
      complete(log, runner, two, 1);
    }
    assertThat(
            bed.api()
                .send(
                    bed.api()
                        .request("/workflows/queue-limit/limit")
                        .header("Content-Type", "application/json")
                        .PUT(HttpRequest.BodyPublishers.ofString("{\"limit\":-1}")))
                .status())
        .isEqualTo(400);
    assertThat(bed.api().get("/workflows/absent/limit").status()).isEqualTo(404);
  }

  @Test
  void shouldFreeThePlaceOfAPausedRunAndEndItAtItsDeadline() {
    workflow("queue-paused", 1);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "queue-paused", 100);
        TraceLog log = bed.log()) {
      String paused = create("queue-paused", ",\"deadline\":\"5s\"");
      runner.awaitAssign(paused);
      String next = create("queue-paused", "");
      queued(next, 1);
      start(log, runner, paused, 1);
      log.append(paused, Lane.runner(1), 2, new TraceEvent.RunPaused(null));
      runner.release(paused, 1, "paused");

      runner.awaitAssign(next);
      JsonNode shown = bed.api().await(paused, run -> run.get("status").textValue().equals("lost"));

      assertThat(shown.at("/error/code").textValue()).isEqualTo("deadline_exceeded");
      complete(log, runner, next, 1);
    }
  }

  @Test
  void shouldNeedNoNewPlaceForAReplacement() {
    workflow("queue-failover", 1);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "queue-failover", 100);
        TraceLog log = bed.log()) {
      String run = create("queue-failover", "");
      runner.awaitAssign(run);
      String next = create("queue-failover", "");
      queued(next, 1);

      log.signal(new RunnerSignal.RunnerExited(run, 1, runner.id(), null));

      assertThat(runner.await(m -> m.hasAssign()).getAssign().getRun()).isEqualTo(run);
      queued(next, 1);
      complete(log, runner, run, 2);
      runner.awaitAssign(next);
      complete(log, runner, next, 1);
    }
  }

  @Test
  void shouldGoOnByAnotherDefinitionOnlyWithItsPlace() {
    workflow("queue-other", 1);
    String hash =
        bed.api()
            .post(
                "/workflows",
                "application/yaml",
                "name: queue-other\nconcurrency: 1\nsteps: [{id: a, transform: '2'}]\n")
            .json()
            .get("hash")
            .textValue();
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "queue-other", 100);
        TraceLog log = bed.log()) {
      String failed = create("queue-other@" + first("queue-other", hash), "");
      runner.awaitAssign(failed);
      fail(log, runner, failed);
      bed.api().await(failed, run -> run.get("status").textValue().equals("failed"));
      String other = create("queue-other", "");
      runner.awaitAssign(other);
      pool.withTransaction(
              tx ->
                  transaction.perform(
                      tx,
                      failed,
                      new RunObservation.ResumeRequested(
                          null,
                          1,
                          null,
                          new QueuedEpoch.NewDefinition(hash, IsolationMode.SHARED))))
          .await()
          .indefinitely();

      assertThat(bed.api().get("/runs/" + failed).json().get("definition_hash").textValue())
          .isNotEqualTo(hash);
      complete(log, runner, other, 1);
      assertThat(runner.awaitAssign(failed).getDefinitionHash()).isEqualTo(hash);
      complete(log, runner, failed, 2);
    }
  }

  /** Returns the version other than this one. */
  private String first(String workflow, String hash) {
    for (JsonNode version : bed.api().get("/workflows/" + workflow).json().get("versions")) {
      if (!version.get("hash").textValue().equals(hash)) {
        return version.get("hash").textValue();
      }
    }
    throw new IllegalStateException(workflow + " has one version");
  }
}
