/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Checks what lost and forged numbers of the control lane do to a run. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class ControlGapTest {
  private static final long LAST = 999_999_999_999_999_999L;

  @Inject OrchestratorTestEnvironment bed;

  private String create(String workflow) {
    bed.api().workflow(workflow, true);
    OrchestratorTestClient.Answer created =
        bed.api().json("/runs", "{\"workflow\":\"" + workflow + "\"}");
    assertThat(created.status()).as("%s", created).isEqualTo(201);
    return created.json().get("id").textValue();
  }

  private void post(String path, int status) {
    OrchestratorTestClient.Answer answer = bed.api().json(path, "{}");
    assertThat(answer.status()).as("%s", answer).isEqualTo(status);
  }

  private JsonNode awaitStatus(String run, String status) {
    return bed.api().await(run, shown -> shown.get("status").textValue().equals(status));
  }

  private static TraceEvent labels() {
    return new TraceEvent.LabelsChanged(Map.of("a", "b"), null);
  }

  private static TraceRecord pauseAt(TraceLog log, String run) {
    return log.trace(run, all -> all.stream().anyMatch(ControlGapTest::isPause)).stream()
        .filter(ControlGapTest::isPause)
        .findFirst()
        .orElseThrow();
  }

  private static boolean isPause(TraceRecord record) {
    return record.event() instanceof TraceEvent.PauseRequested;
  }

  @Test
  void shouldPauseARunWhoseControlEventsWereLostUntilAPersonResumesIt() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "gap-runner", 100);
        TraceLog log = bed.log()) {
      String run = create("gap-running");
      runner.awaitAssign(run);
      log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted("r", 1L, "h", null, 0));
      awaitStatus(run, "running");

      log.append(run, Lane.CONTROL, 40, labels());

      assertThat(
              runner
                  .await(m -> m.hasPause() && m.getPause().getRun().equals(run))
                  .getPause()
                  .getNow())
          .isTrue();
      JsonNode gap = bed.api().await(run, shown -> shown.has("log_gap")).get("log_gap");
      assertThat(gap.get("lane").textValue()).isEqualTo("c");
      assertThat(gap.get("expected").longValue()).isEqualTo(3);
      assertThat(gap.get("found").longValue()).isEqualTo(40);
      TraceRecord pause = pauseAt(log, run);
      assertThat(pause.id().seq()).isEqualTo(41);
      assertThat(((TraceEvent.PauseRequested) pause.event()).reason())
          .isEqualTo("log_gap: lane c: expected seq 3, found 40");
      log.append(run, Lane.runner(1), 2, new TraceEvent.RunPaused("requested"));
      awaitStatus(run, "paused");
      runner.release(run, 1, "paused");

      post("/runs/" + run + "/resume", 202);

      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(2);
      log.append(run, Lane.runner(2), 1, new TraceEvent.RunnerStarted("r", 1L, "h", null, 0));
      assertThat(awaitStatus(run, "running").has("log_gap")).isFalse();
      post("/runs/" + run + "/cancel", 202);
      awaitStatus(run, "cancelled");
    }
  }

  @Test
  void shouldPauseAParkedRunAtAGap() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "gap-parked", 100);
        TraceLog log = bed.log()) {
      String run = create("gap-parked");
      runner.awaitAssign(run);
      log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted("r", 1L, "h", null, 0));
      Instant until = Instant.now().plusSeconds(600);
      log.append(
          run, Lane.runner(1), 2, new TraceEvent.RunParked(until, null, List.of(), Map.of()));
      bed.api().await(run, shown -> shown.hasNonNull("parked"));
      runner.release(run, 1, "parked");

      log.append(run, Lane.CONTROL, 4, labels());

      assertThat(awaitStatus(run, "paused").get("log_gap").get("found").longValue()).isEqualTo(4);
      TraceEvent pause = pauseAt(log, run).event();
      assertThat(((TraceEvent.PauseRequested) pause).idle()).isTrue();
      post("/runs/" + run + "/resume", 202);
      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(2);
      post("/runs/" + run + "/cancel", 202);
    }
  }

  /** The largest seq that an id may have: accepted, no later one would exist. */
  @Test
  void shouldFoldTrueControlEventsAfterAForgedSeq() {
    String run = RunId.next();
    try (TraceLog log = bed.log()) {
      send(
          log,
          run,
          1,
          new TraceEvent.RunCreated(
              "external",
              "default",
              "theirs",
              null,
              null,
              Map.of(),
              null,
              "always",
              null,
              null,
              Instant.now(),
              null,
              0,
              null));
      awaitStatus(run, "starting");

      send(log, run, LAST, labels());
      send(log, run, 3, labels());
      post("/runs/" + run + "/cancel", 202);

      JsonNode shown = awaitStatus(run, "cancelled");
      assertThat(shown.has("trace_gap")).as("%s", shown).isFalse();
      assertThat(
              Objects.requireNonNull(
                      log.trace(
                              run,
                              all ->
                                  all.stream()
                                      .anyMatch(r -> r.event() instanceof TraceEvent.RunCancelled))
                          .getLast())
                  .id()
                  .seq())
          .isEqualTo(2);
    }
  }

  @Test
  void shouldReportWhatTheProofsOfARunShow() {
    String run = create("gap-verified");

    OrchestratorTestClient.Answer answer = bed.api().get("/runs/" + run + "/verification");

    assertThat(answer.status()).as("%s", answer).isEqualTo(200);
    JsonNode report = answer.json();
    assertThat(report.get("valid").booleanValue()).isFalse();
    assertThat(report.at("/control/signed").intValue()).isEqualTo(1);
    assertThat(report.at("/keys/0/kid").textValue()).isEqualTo("00112233aabbccdd");
    assertThat(report.at("/problems/0/event").textValue()).isEqualTo(run + "/c/2");
    assertThat(report.at("/gaps/0/found").intValue()).isEqualTo(5);
    assertThat(bed.api().get("/runs/zzzzzz/verification").status()).isEqualTo(404);
    post("/runs/" + run + "/cancel", 202);
  }

  private static void send(TraceLog log, String run, long seq, TraceEvent event) {
    log.send(
        TraceCodec.encode(
            TopicName.TRACE,
            new TraceRecord(
                new EventId(run, Lane.CONTROL, seq), URI.create("/x"), Instant.now(), event),
            null));
  }
}
