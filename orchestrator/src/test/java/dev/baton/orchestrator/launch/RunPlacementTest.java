/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the placement of runs on launchers with real processes. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class RunPlacementTest {
  @Inject OrchestratorTestEnvironment bed;
  @Inject LaunchedRunnerRepository table;
  @Inject LaunchedRunnerWatcher watch;

  private String workflow(String name, String runner) {
    return workflow(name, runner, "{id: a, transform: '1'}");
  }

  private String workflow(String name, String runner, String step) {
    OrchestratorTestClient.Answer put =
        bed.api()
            .post(
                "/workflows",
                "application/yaml",
                "name: %s\nrunner: %s\nsteps: [%s]\n".formatted(name, runner, step));
    assertThat(put.status()).as(put.text()).isLessThanOrEqualTo(201);
    return name;
  }

  private OrchestratorTestClient.Answer post(String workflow, int priority) {
    return bed.api()
        .json("/runs", "{\"workflow\":\"%s\",\"priority\":%d}".formatted(workflow, priority));
  }

  private String create(String workflow, int priority) {
    OrchestratorTestClient.Answer created = post(workflow, priority);
    assertThat(created.status()).as(created.text()).isEqualTo(201);
    return created.json().get("id").textValue();
  }

  private void cancel(String run) {
    bed.api().json("/runs/" + run + "/cancel", "{}");
  }

  private JsonNode awaitRunner(String run) {
    // The run names its runner before the launch is recorded.
    return bed.api()
        .await(
            run,
            shown ->
                shown.at("/runner/id").asText().equals(run + "-1")
                    && table.find(run + "-1").isPresent());
  }

  private void end(String run) {
    cancel(run);
    LaunchedRunnerWatcher.WatchedRunner runner = watch.watched().get(run + "-1");
    if (runner != null) {
      runner.launcher().kill(run + "-1");
    }
  }

  @Test
  void shouldStartWaitingRunsByPriorityWhenTheirLauncherHasRoom() {
    String workflow = workflow("placed-tiny", "{isolation: isolated, labels: {size: tiny}}");
    String first = create(workflow, 0);
    awaitRunner(first);
    assertThat(table.find(first + "-1").orElseThrow().launcher()).isEqualTo("tiny");
    String low = create(workflow, 0);
    bed.api().await(low, shown -> shown.at("/queued/position").asInt() == 1);
    String high = create(workflow, 10);
    try {
      JsonNode queued =
          bed.api().await(low, shown -> shown.at("/queued/position").asInt() == 2).get("queued");
      assertThat(queued.get("reason").asText()).isEqualTo("launcher_limit");
      assertThat(queued.get("launcher").asText()).isEqualTo("tiny");
      assertThat(queued.get("limit").asInt()).isOne();
      assertThat(bed.api().get("/runs/" + high).json().at("/queued/position").asInt()).isOne();
      assertThat(table.find(low + "-1")).isEmpty();

      end(first);

      JsonNode started = awaitRunner(high);
      assertThat(started.path("queued").isMissingNode() || started.get("queued").isNull()).isTrue();
      assertThat(table.find(low + "-1")).isEmpty();
      end(high);
      awaitRunner(low);
    } finally {
      end(first);
      end(high);
      end(low);
    }
  }

  @Test
  void shouldRejectARunThatNoLauncherCanServe() {
    String workflow = workflow("placed-nowhere", "{labels: {gpu: 'true'}}");

    OrchestratorTestClient.Answer refused = post(workflow, 0);

    assertThat(refused.status()).isEqualTo(422);
    assertThat(refused.json().get("type").asText()).endsWith("/no-runner");
    assertThat(refused.json().get("detail").asText())
        .contains("labels: {gpu=true}")
        .contains("launcher process, pool default")
        .contains("launcher tiny, pool big, labels {")
        .contains("memory=big");
  }

  @Test
  void shouldRejectShellsForASharedRunnerWhereThereIsNone() {
    String workflow =
        workflow(
            "placed-shells",
            "{isolation: shared, launcher: tiny}",
            "{id: a, shell: ls, workspace: none}");

    OrchestratorTestClient.Answer refused = post(workflow, 0);

    assertThat(refused.status()).isEqualTo(422);
    assertThat(refused.json().get("detail").asText())
        .contains("no shared runner can ever execute the workflow's shell steps")
        .contains("launcher: tiny")
        .contains("(no shared runners)");
  }

  @Test
  void shouldAssignOnlyToAttachedRunnersWithTheLabels() throws Exception {
    try (ScriptedRunner plain = new ScriptedRunner(bed.port(), "placed-plain", 10);
        ScriptedRunner labelled =
            new ScriptedRunner(
                bed.port(), "placed-labelled", "shared", 10, Map.of("zone", "a", "disk", "ssd"))) {
      bed.api().workflow("placed-any", true);
      String any = create("placed-any", 0);
      bed.api().await(any, shown -> !shown.at("/runner/id").asText("").isEmpty());
      String workflow = workflow("placed-zone", "{isolation: shared, labels: {zone: a}}");

      for (int i = 0; i < 5; i++) {
        String run = create(workflow, 0);
        assertThat(labelled.awaitAssign(run).getEpoch()).isEqualTo(1);
        cancel(run);
      }
      cancel(any);
      assertThat(plain.id()).isEqualTo("placed-plain");
    }
  }
}
