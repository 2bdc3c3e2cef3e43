/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.standalone.StackComponent;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests runs that wait without a runner, and resume with the same result. */
@Tag("full")
class ParkingTest {
  private static final Duration END = Duration.ofSeconds(120);
  private static final Duration PARK_AFTER = Duration.ofMillis(600);
  private static final int RACES = Integer.getInteger("baton.parking.races", 3);

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @SuppressWarnings("NullAway.Init")
  private static AcceptanceApiClient api;

  private final StepLedger ledger;

  ParkingTest() throws IOException {
    ledger = StepLedger.in(on.folder);
  }

  @BeforeAll
  static void start() throws Exception {
    on =
        SharedStackExtension.RunningStack.of(
            stack ->
                stack.environment(
                    StackComponent.ORCHESTRATOR, "BATON_PARK_AFTER", PARK_AFTER.toMillis() + "ms"));
    api = on.api;
    api.push(
        """
        name: asks
        input: {type: object}
        steps:
          - {id: before, shell: 'echo "before $BATON_EPOCH" >> "$LEDGER"; echo kept > file', env: {LEDGER: "${{ .input.ledger }}"}}
          - {id: ask, approval: {prompt: "Go on?"}}
          - {id: after, shell: 'echo after >> "$LEDGER"; cat file', output: text, env: {LEDGER: "${{ .input.ledger }}"}}
        """);
    api.push(
        """
        name: light
        steps:
          - {id: ask, approval: {prompt: "Go on?"}}
          - {id: said, transform: '"yes"'}
        """);
    api.push(
        """
        name: naps
        steps:
          - {id: nap, wait: 6s}
          - {id: woke, transform: '"up"'}
        """);
    api.push(
        """
        name: sides
        input: {type: object}
        steps:
          - id: both
            parallel:
              branches:
                left:
                  - {id: works, shell: 'echo works >> "$LEDGER"; until test -e "$GATE"; do sleep 0.05; done', env: {LEDGER: "${{ .input.ledger }}", GATE: "${{ .input.gate }}"}}
                  - {id: l2, approval: {prompt: "Left?"}}
                right:
                  - {id: r1, approval: {prompt: "Right?"}}
        """);
  }

  @AfterAll
  static void stop() throws Exception {
    on.close();
  }

  private static JsonNode awaitParked(String run) throws Exception {
    Await.until("run " + run + " is parked", END, () -> api.run(run).path("parked").isObject());
    JsonNode view = api.run(run);
    assertThat(view.path("status").asText()).isEqualTo("waiting");
    assertThat(view.path("runner").isMissingNode() || view.path("runner").isNull()).isTrue();
    return view;
  }

  private static void restartOrchestrator() throws Exception {
    on.stack.kill(StackComponent.ORCHESTRATOR);
    on.stack.restart(StackComponent.ORCHESTRATOR);
  }

  @Test
  void shouldEndTheRunnerOfAQuestionAndGoOnWithTheAnswer() throws Exception {
    String run = api.start("asks", ledger.input());

    awaitParked(run);

    Await.until("no process carries it", END, () -> RunnerProcessHandle.of(run).isEmpty());
    assertThat(BatonCliInvoker.run(on, "status", run).out())
        .contains("waiting", "parked", "resumes when it is answered");
    // Longer than the heartbeat timeout.
    LockSupport.parkNanos(Duration.ofSeconds(5).toNanos());
    assertThat(awaitParked(run).path("epoch").asInt()).isEqualTo(1);
    assertThat(api.approve(run)).isTrue();
    JsonNode done = api.awaitStatus(run, "completed", END);
    assertThat(done.path("epoch").asInt()).isEqualTo(2);
    assertThat(done.path("output").asText().strip()).isEqualTo("kept");
    assertThat(ledger.lines()).containsExactly("before 1", "after");
    assertThat(api.count(run, "approval_requested")).isEqualTo(1);
    assertThat(api.count(run, "run_parked")).isEqualTo(1);
    assertThat(api.events(run).stream().map(e -> e.at("/data/reason").asText()))
        .contains("unparked");
  }

  @Test
  void shouldParkALongTimerAtOnceAndEndItInTimeThoughTheOrchestratorDies() throws Exception {
    String run = api.start("naps", AcceptanceApiClient.JSON.createObjectNode());
    JsonNode parked = awaitParked(run);
    assertThat(parked.at("/parked/until").asText()).isNotEmpty();

    restartOrchestrator();
    api.awaitStatus(run, "completed", END);

    JsonNode began = AcceptanceApiClient.first(api.events(run), "step_started");
    JsonNode woke = AcceptanceApiClient.first(api.events(run), "step_completed");
    assertThat(began).isNotNull();
    assertThat(woke).isNotNull();
    assertThat(Instant.parse(woke.path("time").asText()))
        .isAfterOrEqualTo(Instant.parse(began.path("time").asText()).plusSeconds(6));
    assertThat(api.count(run, "run_parked")).isEqualTo(1);
    assertThat(api.count(run, "runner_assigned")).isEqualTo(2);
  }

  @Test
  void shouldTakeTheAnswerAfterTheOrchestratorWasKilled() throws Exception {
    String run = api.start("asks", ledger.input());
    awaitParked(run);

    restartOrchestrator();
    assertThat(awaitParked(run).path("epoch").asInt()).isEqualTo(1);
    Await.until("it is answered", END, () -> api.approve(run));

    api.awaitStatus(run, "completed", END);
    assertThat(ledger.lines()).containsExactly("before 1", "after");
  }

  @Test
  void shouldLoseNoAnswerThatComesWhileTheRunIsBeingParked() throws Exception {
    Random random = SeededRandomFactory.random("answers race with parking");
    List<String> runs = new ArrayList<>();
    for (int race = 0; race < RACES; race++) {
      String run = api.start("light", AcceptanceApiClient.JSON.createObjectNode());
      runs.add(run);
      Await.until("it asks", END, () -> api.run(run).path("waiting").size() == 1);
      LockSupport.parkNanos(
          Duration.ofMillis(random.nextLong(PARK_AFTER.toMillis() + 200)).toNanos());
      assertThat(api.approve(run)).isTrue();
    }
    int parked = 0;
    for (String run : runs) {
      assertThat(api.awaitStatus(run, "completed", END).path("output").asText()).isEqualTo("yes");
      assertThat(api.count(run, "approval_answered")).isEqualTo(1);
      assertThat(api.count(run, "approval_requested")).isEqualTo(1);
      assertThat(api.count(run, "run_completed")).isEqualTo(1);
      parked += api.count(run, "run_parked") > 0 ? 1 : 0;
    }
    System.out.println(parked + " of " + RACES + " runs were parked when they were answered");
  }

  @Test
  void shouldPauseAndCancelAParkedRun() throws Exception {
    String paused = api.start("light", AcceptanceApiClient.JSON.createObjectNode());
    String cancelled = api.start("light", AcceptanceApiClient.JSON.createObjectNode());
    awaitParked(paused);
    awaitParked(cancelled);

    assertThat(
            api.post("/runs/" + cancelled + "/cancel", AcceptanceApiClient.JSON.createObjectNode())
                .status())
        .isEqualTo(202);
    assertThat(
            api.post("/runs/" + paused + "/pause", AcceptanceApiClient.JSON.createObjectNode())
                .status())
        .isEqualTo(202);

    api.awaitStatus(cancelled, "cancelled", END);
    assertThat(api.awaitStatus(paused, "paused", END).path("epoch").asInt()).isEqualTo(1);
    assertThat(api.approve(paused)).isTrue();
    assertThat(api.awaitStatus(paused, "paused", END).path("epoch").asInt()).isEqualTo(1);
    assertThat(
            api.post("/runs/" + paused + "/resume", AcceptanceApiClient.JSON.createObjectNode())
                .status())
        .isEqualTo(202);
    api.awaitStatus(paused, "completed", END);
    assertThat(api.count(cancelled, "runner_assigned")).isEqualTo(1);
  }

  @Test
  void shouldParkOnlyWhenEveryBranchWaits() throws Exception {
    String run = api.start("sides", ledger.input());
    Await.until("the right branch waits", END, () -> api.run(run).path("waiting").size() == 1);
    ledger.await("works", END);
    LockSupport.parkNanos(PARK_AFTER.multipliedBy(3).toNanos());
    assertThat(api.types(run)).doesNotContain("run_parked");

    ledger.open();
    awaitParked(run);
    assertThat(api.approve(run)).isTrue();
    Await.until(
        "it continues, and is parked for the other approval",
        END,
        () -> api.run(run).path("epoch").asInt() == 2 && api.run(run).path("parked").isObject());
    assertThat(api.approve(run)).isTrue();

    api.awaitStatus(run, "completed", END);
    assertThat(ledger.lines()).containsExactly("works");
  }
}
