/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.parking;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the events that resume a parked run, in every order, with a scripted runner. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class ParkedRunTest {
  @Inject OrchestratorTestEnvironment bed;

  /** Creates a run with a waiting approval. */
  private String ask(String workflow, ScriptedRunner runner, TraceLog log) {
    bed.api().workflow(workflow, true);
    OrchestratorTestClient.Answer created =
        bed.api().json("/runs", "{\"workflow\":\"" + workflow + "\"}");
    String run = created.json().get("id").textValue();
    assertThat(runner.awaitAssign(run).getParkAfterMillis()).isEqualTo(600_000);
    log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted("r", 1L, "h", null, 0));
    log.append(
        run,
        Lane.runner(1),
        2,
        new TraceEvent.ApprovalRequested("ok", run + "-ok-1", "Go?", null, null, null, null, null));
    bed.api().await(run, shown -> shown.get("waiting").size() == 1);
    return run;
  }

  private static void park(TraceLog log, String run, @Nullable Instant until) {
    park(log, run, until, null);
  }

  private static void park(TraceLog log, String run, @Nullable Instant until, @Nullable Long left) {
    log.append(
        run,
        Lane.runner(1),
        3,
        new TraceEvent.RunParked(until, left, List.of(run + "-ok-1"), Map.of()));
  }

  private void awaitParked(String run) {
    bed.api()
        .await(
            run,
            shown ->
                shown.hasNonNull("parked")
                    && shown.get("status").textValue().equals("waiting")
                    && !shown.hasNonNull("runner"));
  }

  private void post(String path, String body, int status) {
    OrchestratorTestClient.Answer answer = bed.api().json(path, body);
    assertThat(answer.status()).as("%s", answer).isEqualTo(status);
  }

  private static List<String> reasons(List<TraceRecord> trace) {
    return trace.stream()
        .map(TraceRecord::event)
        .filter(TraceEvent.RunnerAssigned.class::isInstance)
        .map(event -> ((TraceEvent.RunnerAssigned) event).reason())
        .toList();
  }

  @Test
  void shouldWakeAParkedRunByItsAnswerAndByNothingElse() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "parked-answer", 100);
        TraceLog log = bed.log()) {
      String run = ask("parked-answer", runner, log);
      park(log, run, null);
      awaitParked(run);
      runner.release(run, 1, "parked");

      log.signal(new RunnerSignal.RunnerExited(run, 1, runner.id(), 0));
      log.signal(new RunnerSignal.HeartbeatsMissed(run, 1, runner.id(), 3_000, 3_000));
      post("/approvals/" + run + "-ok-1", "{\"answer\":true}", 200);

      var assign = runner.awaitAssign(run);
      assertThat(assign.getEpoch()).isEqualTo(2);
      assertThat(assign.getAnswersCount()).isEqualTo(1);
      assertThat(reasons(log.trace(run, trace -> reasons(trace).size() == 2)))
          .containsExactly("start", "unparked");
      assertThat(bed.api().get("/runs/" + run).json().hasNonNull("parked")).isFalse();
      post("/runs/" + run + "/cancel", "{}", 202);
    }
  }

  @Test
  void shouldWakeARunByWhatIsLeftOfItsWaitWhateverItsRunnersClockSays() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "parked-ahead", 100);
        TraceLog log = bed.log()) {
      String run = ask("parked-ahead", runner, log);
      park(log, run, Instant.now().plus(Duration.ofDays(30)), 300L);

      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(2);
      post("/runs/" + run + "/cancel", "{}", 202);
    }
  }

  @Test
  void shouldWakeARunThatIsParkedJustAfterItWasAnswered() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "parked-late", 100);
        TraceLog log = bed.log()) {
      String run = ask("parked-late", runner, log);
      post("/approvals/" + run + "-ok-1", "{\"answer\":true}", 200);

      park(log, run, null);

      var assign = runner.awaitAssign(run);
      assertThat(assign.getEpoch()).isEqualTo(2);
      assertThat(assign.getAnswersCount()).isEqualTo(1);
      post("/runs/" + run + "/cancel", "{}", 202);
    }
  }

  @Test
  void shouldWakeAParkedRunWhenItsTimeHasCome() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "parked-timer", 100);
        TraceLog log = bed.log()) {
      String run = ask("parked-timer", runner, log);
      Instant until = Instant.now().plusSeconds(2);

      park(log, run, until);

      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(2);
      assertThat(Instant.now()).isAfterOrEqualTo(until);
      assertThat(log.trace(run, trace -> reasons(trace).size() == 2))
          .last()
          .satisfies(
              record ->
                  assertThat(((TraceEvent.RunnerAssigned) record.event()).waitedMs())
                      .isBetween(1_000L, 60_000L));
      post("/runs/" + run + "/cancel", "{}", 202);
    }
  }

  @Test
  void shouldPauseARunThatWasParkedBeforeItsRunnerHeardOfThePause() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "parked-pause", 100);
        TraceLog log = bed.log()) {
      String run = ask("parked-pause", runner, log);
      post("/runs/" + run + "/pause", "{}", 202);

      park(log, run, null);

      bed.api()
          .await(
              run,
              shown ->
                  shown.get("status").textValue().equals("paused")
                      && shown.get("epoch").intValue() == 2);
      post("/approvals/" + run + "-ok-1", "{\"answer\":true}", 200);
      post("/runs/" + run + "/resume", "", 202);
      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(3);
      post("/runs/" + run + "/cancel", "{}", 202);
    }
  }

  @Test
  void shouldPauseAndResumeAParkedRun() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "parked-paused", 100);
        TraceLog log = bed.log()) {
      String run = ask("parked-paused", runner, log);
      park(log, run, Instant.now().plusSeconds(3_600));
      awaitParked(run);

      post("/runs/" + run + "/pause", "{}", 202);
      post("/approvals/" + run + "-ok-1", "{\"answer\":true}", 200);
      bed.api().await(run, shown -> shown.get("status").textValue().equals("paused"));
      post("/runs/" + run + "/resume", "", 202);

      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(2);
      post("/runs/" + run + "/cancel", "{}", 202);
    }
  }
}
