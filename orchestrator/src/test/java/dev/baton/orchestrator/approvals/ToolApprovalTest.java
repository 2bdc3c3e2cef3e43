/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.approvals;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.ToolCall;
import dev.baton.protocol.trace.TraceEvent;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Approvals of tool calls: several in one step, closed one by one, opened again. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class ToolApprovalTest {
  @Inject OrchestratorTestEnvironment bed;

  private String start(ScriptedRunner runner, TraceLog log, String workflow) {
    bed.api().workflow(workflow, true);
    String run =
        bed.api().json("/runs", "{\"workflow\":\"" + workflow + "\"}").json().get("id").textValue();
    runner.awaitAssign(run);
    log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted(runner.id(), 1L, "h", null, 0));
    log.append(run, Lane.runner(1), 2, new TraceEvent.StepStarted("work", "agent", 1, 1));
    return run;
  }

  private static TraceEvent.ApprovalRequested request(String run, String name) {
    return new TraceEvent.ApprovalRequested(
        "work",
        run + "-work-1-" + name,
        "shell: " + name,
        null,
        null,
        null,
        null,
        new ToolCall(
            "call-" + name,
            "shell",
            Json.mapper().createObjectNode().put("command", name),
            "sha256:" + name,
            "the rules"));
  }

  private String status(String run, String name) {
    return bed.api().get("/approvals/" + run + "-work-1-" + name).json().path("status").asText();
  }

  private JsonNode awaitWaiting(String run, int number) {
    return bed.api().await(run, shown -> shown.path("waiting").size() == number).get("waiting");
  }

  @Test
  void shouldShowAndCloseEachCallOfAStepOnItsOwn() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "tool-runner", 10);
        TraceLog log = bed.log()) {
      String run = start(runner, log, "tool-approvals");
      log.append(run, Lane.runner(1), 3, request(run, "a"));
      log.append(run, Lane.runner(1), 4, request(run, "b"));
      log.append(run, Lane.runner(1), 5, request(run, "c"));

      JsonNode waiting = awaitWaiting(run, 3);
      assertThat(waiting.at("/0/tool/name").textValue()).isEqualTo("shell");
      assertThat(waiting.at("/0/tool/input/command").textValue()).isEqualTo("a");
      assertThat(waiting.at("/0/tool/input_digest").textValue()).isEqualTo("sha256:a");
      assertThat(waiting.at("/0/tool/reason").textValue()).isEqualTo("the rules");
      assertThat(
              bed.api()
                  .json(
                      "/approvals/" + run + "-work-1-b",
                      "{\"answer\":{\"approved\":true},\"by\":\"ann\"}")
                  .json()
                  .at("/tool/call")
                  .textValue())
          .isEqualTo("call-b");
      assertThat(runner.await(m -> m.hasAnswer()).getAnswer().getApproval())
          .isEqualTo(run + "-work-1-b");
      log.append(
          run,
          Lane.runner(1),
          6,
          new TraceEvent.ToolInvoked(
              "work", "shell", null, "call-c", null, null, null, "denied", List.of()));

      assertThat(awaitWaiting(run, 1).at("/0/approval").textValue()).isEqualTo(run + "-work-1-a");
      assertThat(status(run, "b")).isEqualTo("answered");
      assertThat(status(run, "c")).isEqualTo("expired");
    }
  }

  @Test
  void shouldOpenTheApprovalAgainOfACallThatIsMadeAgain() {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "tool-again-runner", 10);
        TraceLog log = bed.log()) {
      String run = start(runner, log, "tool-approvals-again");
      log.append(run, Lane.runner(1), 3, request(run, "a"));
      awaitWaiting(run, 1);
      log.append(
          run,
          Lane.runner(1),
          4,
          new TraceEvent.StepRetried("work", "agent", 1, 1, Failure.of("x", "y"), 5, null));
      awaitWaiting(run, 0);
      assertThat(status(run, "a")).isEqualTo("expired");

      log.append(run, Lane.runner(1), 5, request(run, "a"));

      awaitWaiting(run, 1);
      assertThat(status(run, "a")).isEqualTo("waiting");
      assertThat(
              bed.api()
                  .json("/approvals/" + run + "-work-1-a", "{\"answer\":{\"approved\":true}}")
                  .status())
          .isEqualTo(200);
    }
  }
}
