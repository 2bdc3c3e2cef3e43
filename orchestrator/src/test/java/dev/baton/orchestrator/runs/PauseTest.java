/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.grpc.Held;
import dev.baton.protocol.grpc.Pause;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the orchestrator's part of a pause, with a scripted runner. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class PauseTest {
  @Inject OrchestratorTestEnvironment bed;
  @Inject Pool pool;

  private String create(String workflow) {
    bed.api().workflow(workflow, true);
    OrchestratorTestClient.Answer created =
        bed.api().json("/runs", "{\"workflow\":\"" + workflow + "\"}");
    assertThat(created.status()).isEqualTo(201);
    return created.json().get("id").textValue();
  }

  private void post(String path, String body, int status) {
    OrchestratorTestClient.Answer answer = bed.api().json(path, body);
    assertThat(answer.status()).as("%s", answer).isEqualTo(status);
  }

  private long owed(String run) {
    return pool.preparedQuery("SELECT count(*) FROM orchestrator.outbox WHERE run = $1")
        .execute(Tuple.of(run))
        .await()
        .atMost(Duration.ofSeconds(10))
        .iterator()
        .next()
        .getLong(0);
  }

  private void awaitStatus(String run, String status) {
    bed.api().await(run, shown -> shown.get("status").textValue().equals(status));
  }

  private static <E extends TraceEvent> List<E> of(List<TraceRecord> trace, Class<E> type) {
    return trace.stream().map(TraceRecord::event).filter(type::isInstance).map(type::cast).toList();
  }

  @Test
  void shouldPauseARunThatWaitsForARunnerAndGiveItNone() {
    try (TraceLog log = bed.log()) {
      String run = create("pause-queued");

      post("/runs/" + run + "/pause", "{\"by\":\"me\"}", 202);
      post("/runs/" + run + "/pause", "{}", 202);

      awaitStatus(run, "paused");
      List<TraceRecord> trace =
          log.trace(run, all -> !of(all, TraceEvent.PauseRequested.class).isEmpty());
      assertThat(of(trace, TraceEvent.PauseRequested.class))
          .singleElement()
          .satisfies(
              pause -> {
                assertThat(pause.by()).startsWith("admin key ").endsWith(" (me)");
                assertThat(pause.now()).isFalse();
                assertThat(pause.idle()).isTrue();
              });
      try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "pause-queued-runner", 100)) {
        post("/runs/" + run + "/resume", "", 202);
        var assign = runner.awaitAssign(run);
        assertThat(assign.getEpoch()).isEqualTo(2);
        assertThat(assign.getPauseRequested()).isFalse();
      }
      post("/runs/" + run + "/cancel", "{}", 202);
    }
  }

  @Test
  void shouldTellTheRunnerAndItsNextStreamAndRefuseAResumeUntilItIsPaused() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "pause-runner", 100);
        TraceLog log = bed.log()) {
      String run = create("pause-reported");
      runner.awaitAssign(run);
      log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted("r", 1L, "h", null, 0));
      awaitStatus(run, "running");

      post("/runs/" + run + "/pause", "{}", 202);
      assertThat(owed(run)).as("pending effects").isZero();
      assertThat(
              runner
                  .await(m -> m.hasPause() && m.getPause().getRun().equals(run))
                  .getPause()
                  .getNow())
          .isFalse();
      post("/runs/" + run + "/resume", "", 409);
      post("/runs/" + run + "/pause", "{\"now\":true}", 202);
      assertThat(
              runner
                  .await(m -> m.hasPause() && m.getPause().getRun().equals(run))
                  .getPause()
                  .getNow())
          .isTrue();
      runner.close();
      Held held = Held.newBuilder().setRun(run).setEpoch(1).setStarted(true).build();
      try (ScriptedRunner again = new ScriptedRunner(bed.port(), "pause-runner", 100, held)) {
        assertThat(
                again
                    .await(m -> m.hasPause() && m.getPause().getRun().equals(run))
                    .getPause()
                    .getNow())
            .isTrue();
        log.append(run, Lane.runner(1), 2, new TraceEvent.RunPaused("requested"));
        awaitStatus(run, "paused");
        again.release(run, 1, "paused");
        // Neither a late signal nor the runner's exit resumes it.
        log.signal(new RunnerSignal.RunnerExited(run, 1, again.id(), null));
        post("/runs/" + run + "/resume", "", 202);
        assertThat(again.awaitAssign(run).getEpoch()).isEqualTo(2);
      }
      post("/runs/" + run + "/cancel", "{}", 202);
    }
  }

  @Test
  void shouldNotDeliverAPauseThatIsLateToALaterEpoch() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "pause-late", 100);
        TraceLog log = bed.log()) {
      String run = create("pause-late");
      runner.awaitAssign(run);
      log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted("r", 1L, "h", null, 0));
      awaitStatus(run, "running");
      post("/runs/" + run + "/pause", "{}", 202);
      assertThat(
              runner
                  .await(m -> m.hasPause() && m.getPause().getRun().equals(run))
                  .getPause()
                  .getEpoch())
          .isEqualTo(1);
      log.append(run, Lane.runner(1), 2, new TraceEvent.RunPaused("requested"));
      awaitStatus(run, "paused");
      runner.release(run, 1, "paused");
      post("/runs/" + run + "/resume", "", 202);
      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(2);

      // As after a crash between the delivery and the deletion of the row; the second one proves
      // that the first was performed.
      owe(run, "[{\"do\":\"pause\",\"epoch\":1,\"now\":false}]");
      owe(run, "[{\"do\":\"pause\",\"epoch\":2,\"now\":true}]");

      Pause first = runner.await(m -> m.hasPause() && m.getPause().getRun().equals(run)).getPause();
      assertThat(first.getNow()).as("the pause of epoch 2: %s", first).isTrue();
      assertThat(first.getEpoch()).isEqualTo(2);
      post("/runs/" + run + "/cancel", "{}", 202);
    }
  }

  @Test
  void shouldDeliverAPauseThatAnEarlierVersionHasStored() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "pause-old", 100)) {
      String run = create("pause-old");
      runner.awaitAssign(run);

      owe(run, "[{\"do\":\"pause\",\"now\":true}]");

      Pause sent = runner.await(m -> m.hasPause() && m.getPause().getRun().equals(run)).getPause();
      assertThat(sent.getNow()).isTrue();
      assertThat(sent.getEpoch()).isEqualTo(1);
      post("/runs/" + run + "/cancel", "{}", 202);
    }
  }

  private void owe(String run, String effects) {
    pool.preparedQuery("INSERT INTO orchestrator.outbox (run, effects) VALUES ($1, $2)")
        .execute(Tuple.of(run, effects))
        .await()
        .atMost(Duration.ofSeconds(10));
  }

  @Test
  void shouldPauseWithoutAReplacementWhenTheRunnerIsLostMeanwhile() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "pause-lost", 100);
        TraceLog log = bed.log()) {
      String run = create("pause-lost");
      runner.awaitAssign(run);
      log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted("r", 1L, "h", null, 0));
      post("/runs/" + run + "/pause", "{}", 202);

      log.signal(new RunnerSignal.HeartbeatsMissed(run, 1, runner.id(), 3_000, 3_000));

      List<TraceRecord> trace =
          log.trace(run, all -> of(all, TraceEvent.PauseRequested.class).size() == 2);
      assertThat(of(trace, TraceEvent.RunnerAssigned.class))
          .extracting(TraceEvent.RunnerAssigned::epoch)
          .containsExactly(1, 2);
      assertThat(of(trace, TraceEvent.PauseRequested.class).getLast().idle()).isTrue();
      awaitStatus(run, "paused");
      post("/runs/" + run + "/resume", "", 202);
      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(3);
      post("/runs/" + run + "/cancel", "{}", 202);
      post("/runs/" + run + "/pause", "{}", 409);
    }
  }

  @Test
  void shouldCallARunInterruptedWhileItsReplacementIsNotYetAssigned() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "interrupted", 100);
        TraceLog log = bed.log()) {
      String run = create("interrupted");
      for (int epoch = 1; epoch <= 9; epoch++) {
        int current = epoch;
        runner.await(
            m ->
                m.hasAssign()
                    && m.getAssign().getRun().equals(run)
                    && m.getAssign().getEpoch() == current);
        log.append(run, Lane.runner(epoch), 1, new TraceEvent.RunnerStarted("r", 1L, "h", null, 0));
        awaitStatus(run, "running");
        log.signal(new RunnerSignal.RunnerExited(run, epoch, runner.id(), 137));
      }

      // After this many deaths without progress the next epoch is delayed by some seconds.
      awaitStatus(run, "interrupted");
      // A pause then needs no runner.
      post("/runs/" + run + "/pause", "{}", 202);
      awaitStatus(run, "paused");
      post("/runs/" + run + "/cancel", "{}", 202);
    }
  }

  @Test
  void shouldSayWhatIsWrongWithAnExternalRunAndABadRequest() {
    OrchestratorTestClient.Answer created =
        bed.api().json("/runs", "{\"kind\":\"external\",\"workflow\":\"anything\"}");
    String run = created.json().get("id").textValue();

    post("/runs/" + run + "/pause", "{}", 409);
    post("/runs/zzzzzz/pause", "{}", 404);
    post("/runs/" + run + "/pause", "{\"now\":\"maybe\"}", 400);
    post("/runs/" + run + "/resume", "{\"from\":\"a/b/c\"}", 400);
  }
}
