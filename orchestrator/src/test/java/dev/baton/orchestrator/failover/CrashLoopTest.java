/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.StepAttempt;
import dev.baton.protocol.trace.TraceEvent;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class CrashLoopTest {
  @Inject OrchestratorTestEnvironment bed;

  @Test
  void shouldShowACrashLoopAndStartTheNextAttemptWhenAskedAndForgetItWithProgress() {
    bed.api().workflow("crash-loop", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "crash-runner", 100);
        TraceLog log = bed.log()) {
      String run =
          bed.api().json("/runs", "{\"workflow\":\"crash-loop\"}").json().get("id").textValue();
      // Enough failures that the next attempt is delayed by some seconds.
      int epoch = 1;
      for (; epoch <= 8; epoch++) {
        runner.awaitAssign(run);
        log.signal(new RunnerSignal.RunnerExited(run, epoch, runner.id(), 137));
        if (epoch <= 3) {
          assertThat(bed.api().get("/runs/" + run).json().has("crash_loop")).isFalse();
        }
      }

      int next = epoch;
      JsonNode loop =
          bed.api()
              .await(
                  run,
                  now ->
                      now.get("epoch").intValue() == next - 1
                          && now.get("status").textValue().equals("interrupted")
                          && now.at("/crash_loop/next_attempt_at").isTextual())
              .get("crash_loop");
      assertThat(loop.get("failovers").intValue()).isEqualTo(8);
      assertThat(loop.at("/last_exit/signal").intValue()).isEqualTo(9);
      assertThat(loop.at("/last_exit/reason").textValue()).isEqualTo("runner_exited");
      assertThat(Instant.parse(loop.get("next_attempt_at").textValue())).isAfter(Instant.now());
      bed.api()
          .await(
              "/runs?limit=1000",
              "the metric",
              any ->
                  bed.api()
                      .get("/q/metrics")
                      .text()
                      .lines()
                      .anyMatch(
                          line ->
                              line.startsWith("baton_runs_crash_loops") && line.endsWith(" 1.0")));

      assertThat(bed.api().json("/runs/" + run + "/resume", "{}").status()).isEqualTo(202);

      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(next);
      // A second resume is a conflict: no attempt is delayed any more.
      assertThat(bed.api().json("/runs/" + run + "/resume", "{}").status()).isEqualTo(409);
      log.append(
          run,
          Lane.runner(next),
          1,
          new TraceEvent.RunnerStarted(runner.id(), 1L, "test", null, 0));
      log.append(
          run,
          Lane.runner(next),
          2,
          new TraceEvent.StepCompleted(
              "a", "transform", 1, 1, null, null, false, List.of(), 0, null, null, 10, null, null));
      bed.api().await(run, now -> !now.has("crash_loop"));
    }
  }

  @Test
  void shouldEndAtItsDeadlineWhileTheNextAttemptWaitsAndNotBeResumed() {
    bed.api().workflow("crash-deadline", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "deadline-runner", 100);
        TraceLog log = bed.log()) {
      String run =
          bed.api()
              .json("/runs", "{\"workflow\":\"crash-deadline\",\"deadline\":\"6s\"}")
              .json()
              .get("id")
              .textValue();
      JsonNode shown =
          bed.api()
              .await(
                  run,
                  now -> {
                    log.signal(
                        new RunnerSignal.RunnerExited(
                            run, now.get("epoch").intValue(), runner.id(), 1));
                    return now.get("status").textValue().equals("lost");
                  });

      assertThat(shown.at("/error/code").textValue()).isEqualTo("deadline_exceeded");
      var resumed = bed.api().json("/runs/" + run + "/resume", "{}");
      assertThat(resumed.status()).isEqualTo(409);
      assertThat(resumed.text()).contains("deadline_exceeded");
    }
  }

  @Test
  void shouldEndARunWhoseRunnersDieInOneStepAndStartItAgainWhenAsked() {
    bed.api().workflow("crash-bound", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "bound-runner", 100);
        TraceLog log = bed.log()) {
      String run =
          bed.api().json("/runs", "{\"workflow\":\"crash-bound\"}").json().get("id").textValue();
      for (int epoch = 1; epoch <= 10; epoch++) {
        int now = epoch;
        if (epoch > 4) { // Resumes: the next runner may be delayed.
          bed.api().await(run, shown -> shown.get("epoch").intValue() == now);
          bed.api().json("/runs/" + run + "/resume", "{}");
        }
        assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(now);
        log.append(
            run,
            Lane.runner(now),
            1,
            new TraceEvent.RunnerStarted(runner.id(), 1L, "test", null, 0));
        log.append(run, Lane.runner(now), 2, new TraceEvent.StepStarted("a", "transform", 1, 1));
        bed.api().await(run, shown -> shown.get("current_steps").size() == 1);
        log.signal(new RunnerSignal.RunnerExited(run, now, runner.id(), 137));
      }

      JsonNode ended = bed.api().await(run, now -> now.get("status").textValue().equals("failed"));
      assertThat(ended.get("epoch").intValue()).isEqualTo(10);
      assertThat(ended.at("/error/code").textValue()).isEqualTo("crash_loop");
      assertThat(ended.at("/error/message").textValue())
          .contains("10 runners", "step 'a'", "exited with 137");
      assertThat(ended.has("crash_loop")).isFalse();

      assertThat(bed.api().json("/runs/" + run + "/resume", "{}").status()).isEqualTo(202);
      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(11);
      log.signal(new RunnerSignal.RunnerExited(run, 11, runner.id(), 70));
      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(12);
    }
  }

  @Test
  void shouldCountACheckpointThatTheStepResumesFromAsProgress() {
    bed.api().workflow("crash-inside", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "inside-runner", 100);
        TraceLog log = bed.log()) {
      String run =
          bed.api().json("/runs", "{\"workflow\":\"crash-inside\"}").json().get("id").textValue();
      for (int epoch = 1; epoch <= 12; epoch++) {
        assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(epoch);
        log.append(
            run,
            Lane.runner(epoch),
            1,
            new TraceEvent.RunnerStarted(runner.id(), 1L, "test", null, 0));
        log.append(run, Lane.runner(epoch), 2, new TraceEvent.StepStarted("a", "transform", 1, 1));
        log.append(run, Lane.runner(epoch), 3, saved("c" + epoch));
        int now = epoch;
        bed.api()
            .await(
                run,
                shown ->
                    shown.get("epoch").intValue() == now && shown.get("current_steps").size() == 1);
        log.signal(new RunnerSignal.RunnerExited(run, epoch, runner.id(), 137));
      }

      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(13);
      JsonNode shown = bed.api().await(run, now -> now.get("epoch").intValue() == 13);
      assertThat(shown.has("crash_loop")).isFalse();
    }
  }

  private static TraceEvent saved(String checkpoint) {
    Cut cut =
        new Cut(
            Digest.of(checkpoint.getBytes(StandardCharsets.UTF_8)),
            "baton-tree-2",
            1,
            1,
            1,
            checkpoint);
    return new TraceEvent.CheckpointSaved(
        checkpoint, "a", "periodic", cut, null, null, new StepAttempt("a", 1, 1), null);
  }

  @Test
  void shouldCountTheEventsOfAFencedRunner() {
    bed.api().workflow("fenced", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "fenced-runner", 100);
        TraceLog log = bed.log()) {
      String run =
          bed.api().json("/runs", "{\"workflow\":\"fenced\"}").json().get("id").textValue();
      runner.awaitAssign(run);
      double before = fenced();
      log.signal(new RunnerSignal.RunnerExited(run, 1, runner.id(), null));
      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(2);

      for (int seq = 1; seq <= 3; seq++) {
        log.append(run, Lane.runner(1), seq, new TraceEvent.StepStarted("a", "transform", 1, 1));
      }

      JsonNode shown = bed.api().await(run, now -> now.get("fenced").longValue() == 3);
      assertThat(shown.get("current_steps")).isEmpty();
      assertThat(fenced() - before).isGreaterThanOrEqualTo(3);
    }
  }

  private double fenced() {
    return bed.api()
        .get("/q/metrics")
        .text()
        .lines()
        .filter(line -> line.startsWith("baton_projection_fenced_total"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }
}
