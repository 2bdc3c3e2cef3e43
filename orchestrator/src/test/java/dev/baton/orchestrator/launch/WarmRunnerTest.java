/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.gateway.RunnerRegistry;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests warm runners and handovers with scripted runners. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class WarmRunnerTest {
  @Inject OrchestratorTestEnvironment bed;
  @Inject RunnerRegistry attachments;

  private String create(String workflow, boolean shared) {
    bed.api().workflow(workflow, shared);
    OrchestratorTestClient.Answer created =
        bed.api().json("/runs", "{\"workflow\":\"" + workflow + "\"}");
    assertThat(created.status()).isEqualTo(201);
    return created.json().get("id").textValue();
  }

  private ScriptedRunner attach(String id, String mode, int slots) throws Exception {
    ScriptedRunner runner = new ScriptedRunner(bed.port(), id, mode, slots);
    attachments.expect(id).get(20, TimeUnit.SECONDS);
    return runner;
  }

  private void cancel(String run) {
    bed.api().json("/runs/" + run + "/cancel", "{}");
  }

  @Test
  void shouldGiveAWarmRunnerOneIsolatedRunAndNoOther() throws Exception {
    try (ScriptedRunner warm = attach("warm-test-1", "warm", 1);
        ScriptedRunner shared = attach("warm-test-shared", "shared", 10)) {
      String light = create("warm-light", true);
      assertThat(shared.awaitAssign(light).getEpoch()).isEqualTo(1);

      String first = create("warm-isolated", false);
      assertThat(warm.awaitAssign(first).getEpoch()).isEqualTo(1);
      assertThat(bed.api().get("/runs/" + first).json().at("/runner/id").asText())
          .isEqualTo("warm-test-1");
      warm.release(first, 1, "completed");
      String second = create("warm-isolated", false);

      bed.api().await(second, shown -> shown.at("/runner/id").asText().equals(second + "-1"));
      assertThat(warm.waiting()).isZero();
      cancel(light);
      cancel(first);
      cancel(second);
    }
  }

  @Test
  void shouldMakeAWarmRunnerReadyBeforeItAsksForTheRunOfOneThatLeaves() throws Exception {
    try (TraceLog log = bed.log();
        ScriptedRunner old = attach("warm-test-old", "warm", 1)) {
      String run = create("warm-leaving", false);
      old.awaitAssign(run);
      log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted("r", 1L, "h", null, 0));
      bed.api().await(run, shown -> shown.get("status").textValue().equals("running"));
      try (ScriptedRunner next = attach("warm-test-next", "warm", 1)) {
        old.leave("terminated");
        var asked = old.await(m -> m.hasHandOver()).getHandOver();
        assertThat(asked.getRun()).isEqualTo(run);
        assertThat(asked.getAtOnce()).isFalse();
        // The runner is reserved for the run: another run does not get it.
        String other = create("warm-leaving", false);
        bed.api().await(other, shown -> shown.at("/runner/id").asText().equals(other + "-1"));

        old.release(run, 1, "stopped");

        assertThat(next.awaitAssign(run).getEpoch()).isEqualTo(2);
        assertThat(
                log.trace(
                        run,
                        trace ->
                            trace.stream()
                                .map(TraceRecord::event)
                                .anyMatch(
                                    event ->
                                        event instanceof TraceEvent.RunnerAssigned assigned
                                            && assigned.reason().equals("runner_left")))
                    .isEmpty())
            .isFalse();
        cancel(run);
        cancel(other);
      }
    }
  }

  @Test
  void shouldGiveNothingMoreToASharedRunnerThatLeaves() throws Exception {
    try (ScriptedRunner old = attach("leaving-shared", "shared", 1_000)) {
      String run = create("leaving-light", true);
      old.awaitAssign(run);
      try (ScriptedRunner next = attach("staying-shared", "shared", 10)) {
        old.leave("max_lifetime");
        old.await(m -> m.hasHandOver() && m.getHandOver().getRun().equals(run));

        String later = create("leaving-light", true);
        assertThat(next.awaitAssign(later).getEpoch()).isEqualTo(1);
        old.release(run, 1, "stopped");

        assertThat(next.awaitAssign(run).getEpoch()).isEqualTo(2);
        cancel(run);
        cancel(later);
      }
    }
  }
}
