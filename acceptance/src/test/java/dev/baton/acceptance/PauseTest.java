/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.standalone.StackComponent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Pauses runs in every kind of step; they resume with the same result. */
@UsesSharedStack
class PauseTest {
  private static final Duration END = Duration.ofSeconds(60);

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @SuppressWarnings("NullAway.Init")
  private static AcceptanceApiClient api;

  private final StepLedger ledger;

  PauseTest() throws IOException {
    ledger = StepLedger.in(on.folder);
  }

  @BeforeAll
  static void push(SharedStackExtension.RunningStack running) throws Exception {
    on = running;
    api = running.api;
    api.push(Files.readString(Path.of("src/test/resources/pause.yaml")));
    api.push(
        """
        name: asks
        steps:
          - {id: ask, approval: {prompt: "Go on?"}}
          - {id: said, transform: '.steps.ask.output.note'}
        """);
    api.push(
        """
        name: naps
        steps:
          - {id: nap, wait: 4s}
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
                  - {id: l1, shell: 'echo l1 >> "$LEDGER"; until test -e "$GATE"; do sleep 0.05; done', env: &env {LEDGER: "${{ .input.ledger }}", GATE: "${{ .input.gate }}"}}
                  - {id: l2, shell: 'echo l2 >> "$LEDGER"; echo left > l', env: {LEDGER: "${{ .input.ledger }}"}}
                right:
                  - {id: r1, shell: 'echo r1 >> "$LEDGER"; echo right > r', env: {LEDGER: "${{ .input.ledger }}"}}
                  - {id: r2, approval: {prompt: "Right?"}}
          - {id: show, shell: 'cat l r | tr "\\n" " "', output: text}
        """
            .replace("&env ", ""));
    api.push(
        """
        name: retries
        input: {type: object}
        steps:
          - {id: flaky, shell: 'echo "try $BATON_ATTEMPT" >> "$LEDGER"; exit 1', retry: {max: 2, backoff: 1h}, env: {LEDGER: "${{ .input.ledger }}"}}
        """);
  }

  private static JsonNode pause(String run, boolean now) throws Exception {
    AcceptanceApiClient.Answer answer =
        api.post(
            "/runs/" + run + "/pause", AcceptanceApiClient.JSON.createObjectNode().put("now", now));
    assertThat(answer.status()).as("%s", answer).isEqualTo(202);
    return answer.body();
  }

  private static void resume(String run) throws Exception {
    AcceptanceApiClient.Answer answer =
        api.post("/runs/" + run + "/resume", AcceptanceApiClient.JSON.createObjectNode());
    assertThat(answer.status()).as("%s", answer).isEqualTo(202);
    assertThat(answer.body().path("status").asText()).isEqualTo("resuming");
  }

  private static void awaitNoRunner(String run) {
    Await.until("no process carries " + run, END, () -> RunnerProcessHandle.of(run).isEmpty());
  }

  @Test
  void shouldCompleteTheStepInProgressAndResumeFromThatCheckpoint() throws Exception {
    String run = api.start("paused", ledger.input());
    ledger.await("build", END);
    // The step may run before the orchestrator has read its event.
    api.awaitStatus(run, "running", END);

    assertThat(pause(run, false).path("status").asText()).isEqualTo("pausing");
    pause(run, false);
    AcceptanceApiClient.Answer early =
        api.post("/runs/" + run + "/resume", AcceptanceApiClient.JSON.createObjectNode());
    assertThat(early.status()).isEqualTo(409);
    assertThat(early.body().toString()).contains("once it is paused");
    ledger.open();
    api.awaitStatus(run, "paused", END);
    awaitNoRunner(run);

    List<String> types = api.types(run);
    assertThat(types.getLast()).isEqualTo("run_paused");
    assertThat(types).containsOnlyOnce("pause_requested", "step_completed", "run_paused");
    assertThat(BatonCliInvoker.run(on, "status", "--status", "paused").out())
        .contains(run.substring(20) + "  paused");
    assertThat(ledger.lines()).containsExactly("build");

    BatonCliInvoker.Result resumed = BatonCliInvoker.run(on, "resume", run, "--wait");

    assertThat(resumed.code()).as("%s", resumed).isZero();
    JsonNode view = api.awaitStatus(run, "completed", END);
    assertThat(view.path("epoch").asInt()).isEqualTo(2);
    assertThat(view.path("output").toString())
        .isEqualTo("{\"build\":\"one\",\"test\":[\"begun\",\"built\"]}");
    assertThat(ledger.lines()).containsExactly("build", "test");
    JsonNode skipped = AcceptanceApiClient.first(api.events(run), "step_skipped");
    assertThat(skipped).isNotNull();
    assertThat(skipped.path("data").path("step").asText()).isEqualTo("build");
    assertThat(skipped.path("data").path("reason").asText()).isEqualTo("replayed from snapshot");
  }

  @Test
  void shouldStopTheStepAtOnceAndRunItAgainOnTheFilesOfBefore() throws Exception {
    String run = api.start("paused", ledger.input());
    ledger.await("build", END);
    pause(run, false);

    BatonCliInvoker.Result paused = BatonCliInvoker.run(on, "pause", run, "--now", "--wait");

    assertThat(paused.code()).as("%s", paused).isZero();
    assertThat(paused.out()).contains(run.substring(20) + " is paused");
    awaitNoRunner(run);
    assertThat(api.types(run))
        .doesNotContain("step_completed", "step_failed", "step_retried", "checkpoint_saved");
    ledger.open();
    resume(run);
    JsonNode view = api.awaitStatus(run, "completed", END);
    assertThat(ledger.lines()).containsExactly("build", "build", "test");
    assertThat(view.path("output").path("test").toString())
        .as("the files of the step that was stopped are not there")
        .isEqualTo("[\"begun\",\"built\"]");
  }

  @Test
  void shouldPauseWhileAPersonIsAskedAndUseTheAnswerThatIsGivenMeanwhile() throws Exception {
    String run = api.start("asks", AcceptanceApiClient.JSON.createObjectNode());
    String asked =
        api.awaitStatus(run, "waiting", END).path("waiting").path(0).path("approval").asText();

    pause(run, false);
    JsonNode paused = api.awaitStatus(run, "paused", END);
    assertThat(paused.path("waiting").path(0).path("approval").asText()).isEqualTo(asked);
    awaitNoRunner(run);
    ObjectNode answer = AcceptanceApiClient.JSON.createObjectNode();
    answer.putObject("answer").put("approved", true).put("note", "while paused");
    assertThat(api.post("/approvals/" + asked, answer).status()).isEqualTo(200);
    assertThat(api.run(run).path("status").asText()).isEqualTo("paused");
    resume(run);

    assertThat(api.awaitStatus(run, "completed", END).path("output").asText())
        .isEqualTo("while paused");
    assertThat(api.count(run, "approval_requested")).isEqualTo(1);
  }

  @Test
  @Tag("full")
  void shouldKeepTheSameQuestionOpenOverAPause() throws Exception {
    String run = api.start("asks", AcceptanceApiClient.JSON.createObjectNode());
    String asked =
        api.awaitStatus(run, "waiting", END).path("waiting").path(0).path("approval").asText();
    pause(run, false);
    api.awaitStatus(run, "paused", END);
    resume(run);
    JsonNode again = api.awaitStatus(run, "waiting", END);

    assertThat(again.path("waiting").path(0).path("approval").asText()).isEqualTo(asked);
    assertThat(api.count(run, "approval_requested")).isEqualTo(1);
    assertThat(api.approve(run)).isTrue();
    api.awaitStatus(run, "completed", END);
  }

  @Test
  void shouldPauseATimerWithoutMovingItsEnd() throws Exception {
    String run = api.start("naps", AcceptanceApiClient.JSON.createObjectNode());
    Await.until("it naps", END, () -> api.types(run).contains("step_started"));
    JsonNode begun = AcceptanceApiClient.first(api.events(run), "step_started");
    assertThat(begun).isNotNull();
    Instant start = Instant.parse(begun.path("time").asText());

    pause(run, false);
    api.awaitStatus(run, "paused", END);
    assertThat(Instant.now())
        .as("it does not wait for the timer")
        .isBefore(start.plusMillis(4_000));
    resume(run);
    api.awaitStatus(run, "completed", END);

    JsonNode woke = AcceptanceApiClient.first(api.events(run), "step_completed");
    assertThat(woke).isNotNull();
    assertThat(Instant.parse(woke.path("time").asText())).isAfterOrEqualTo(start.plusSeconds(4));
  }

  @Test
  @Tag("full")
  void shouldCompleteTheStepOfEachBranchAndResumeInTheMidstOfThem() throws Exception {
    String run = api.start("sides", ledger.input());
    ledger.await("l1", END);
    Await.until("the right branch waits", END, () -> api.run(run).path("waiting").size() == 1);

    pause(run, false);
    ledger.open();
    api.awaitStatus(run, "paused", END);
    assertThat(ledger.lines()).containsExactlyInAnyOrder("l1", "r1");
    resume(run);
    Await.until("it is approved", END, () -> api.approve(run));

    assertThat(api.awaitStatus(run, "completed", END).path("output").asText().strip())
        .isEqualTo("left right");
    assertThat(ledger.lines()).containsExactlyInAnyOrder("l1", "r1", "l2");
    List<String> replayed = new ArrayList<>();
    for (JsonNode event : api.events(run)) {
      if (event.path("type").asText().equals("step_skipped")) {
        replayed.add(event.path("data").path("step").asText());
      }
    }
    assertThat(replayed).containsExactlyInAnyOrder("both/left/l1", "both/right/r1");
  }

  @Test
  @Tag("full")
  void shouldEndABackoffAndKeepTheRetryCounters() throws Exception {
    String run = api.start("retries", ledger.input());
    Await.until("it has failed once", END, () -> api.types(run).contains("step_retried"));

    pause(run, false);
    api.awaitStatus(run, "paused", END);
    resume(run);
    Await.until("it has failed twice", END, () -> api.count(run, "step_retried") == 2);
    pause(run, false);
    api.awaitStatus(run, "paused", END);
    resume(run);

    api.awaitStatus(run, "failed", END);
    assertThat(ledger.lines()).containsExactly("try 1", "try 2", "try 3");
  }

  @Test
  @Tag("full")
  void shouldEndAsPausedWhenItsRunnerIsKilledWhileItIsBeingPaused() throws Exception {
    String run = api.start("paused", ledger.input());
    ledger.await("build", END);
    pause(run, false);

    RunnerProcessHandle.of(run).orElseThrow().kill(true);

    JsonNode view = api.awaitStatus(run, "paused", END);
    assertThat(view.path("epoch").asInt()).isEqualTo(2);
    awaitNoRunner(run);
    assertThat(api.types(run)).doesNotContain("run_paused", "step_completed");
    ledger.open();
    resume(run);
    api.awaitStatus(run, "completed", END);
    assertThat(ledger.lines()).containsExactly("build", "build", "test");
  }

  /** Run, checkpoint, restart, resume, complete. */
  @Test
  @Tag("full")
  void shouldPauseAndResumeThoughTheServersAreKilledMeanwhile() throws Exception {
    String run = api.start("paused", ledger.input());
    ledger.await("build", END);
    pause(run, false);

    restart(StackComponent.ORCHESTRATOR);
    ledger.open();
    api.awaitStatus(run, "paused", END);
    restart(StackComponent.STORE);
    restart(StackComponent.ORCHESTRATOR);
    assertThat(api.awaitStatus(run, "paused", END).path("epoch").asInt()).isEqualTo(1);
    Await.until(
        "it is resumed",
        END,
        () ->
            api.post("/runs/" + run + "/resume", AcceptanceApiClient.JSON.createObjectNode())
                    .status()
                == 202);

    api.awaitStatus(run, "completed", END);
    assertThat(ledger.lines()).containsExactly("build", "test");
  }

  private static void restart(StackComponent component) throws Exception {
    on.stack.kill(component);
    on.stack.restart(component);
  }

  @Test
  @Tag("full")
  void shouldStayPausedOnceItsRunnerIsGoneAndEndWhenItIsCancelled() throws Exception {
    String run = api.start("asks", AcceptanceApiClient.JSON.createObjectNode());
    api.awaitStatus(run, "waiting", END);
    pause(run, true);
    api.awaitStatus(run, "paused", END);
    awaitNoRunner(run);
    assertThat(api.count(run, "runner_assigned")).isEqualTo(1);

    assertThat(
            api.post("/runs/" + run + "/cancel", AcceptanceApiClient.JSON.createObjectNode())
                .status())
        .isEqualTo(202);
    api.awaitStatus(run, "cancelled", END);

    AcceptanceApiClient.Answer late =
        api.post("/runs/" + run + "/pause", AcceptanceApiClient.JSON.createObjectNode());
    assertThat(late.status()).isEqualTo(409);
    assertThat(late.body().toString()).contains("has ended (cancelled)");
    BatonCliInvoker.Result refused = BatonCliInvoker.run(on, "pause", run);
    assertThat(refused.code()).as("%s", refused).isEqualTo(5);
    BatonCliInvoker.Result unknown = BatonCliInvoker.run(on, "resume", "zzzzzz");
    assertThat(unknown.code()).as("%s", unknown).isEqualTo(3);
    assertThat(unknown.err()).contains("zzzzzz");
  }

  @Test
  void shouldPauseAForegroundRunOnCtrlCAndStopItsStepOnTheSecond() throws Exception {
    Path err = Files.createTempFile(on.folder, "foreground", ".err");
    Path in =
        Files.writeString(
            on.folder.resolve(ledger.file().getFileName() + ".json"), ledger.input().toString());
    ProcessBuilder builder =
        new ProcessBuilder(
                // A shell starts background processes with SIGINT ignored, which the command would
                // inherit.
                "env",
                "--default-signal=INT",
                BatonCliInvoker.program(),
                "run",
                "paused",
                "--input",
                "@" + in,
                "--label",
                "ledger=" + ledger.file().getFileName(),
                "--wait")
            .redirectOutput(on.folder.resolve("foreground.out").toFile())
            .redirectError(err.toFile());
    builder.environment().put("BATON_SKIP_BUILD", "1");
    builder.environment().put("BATON_SERVER", on.stack.orchestratorUrl());
    builder.environment().put("BATON_API_KEY", on.stack.apiKey());
    Process command = builder.start();
    try {
      ledger.await("build", END);
      String run =
          api.get("/runs?label=ledger=" + ledger.file().getFileName())
              .body()
              .path("runs")
              .path(0)
              .path("id")
              .asText();

      interrupt(command);
      Await.until(
          "the command reports it",
          END,
          () -> Files.readString(err).contains("pausing after the step"));
      Await.until(
          "it is pausing", END, () -> api.run(run).path("status").asText().equals("pausing"));
      assertThat(command.isAlive()).isTrue();
      interrupt(command);

      assertThat(command.waitFor(END.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(command.exitValue()).as(Files.readString(err)).isEqualTo(9);
      assertThat(api.run(run).path("status").asText()).isEqualTo("paused");
      assertThat(api.types(run)).doesNotContain("step_completed").contains("run_paused");
    } finally {
      command.destroyForcibly();
    }
  }

  private static void interrupt(Process process) throws Exception {
    assertThat(new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor())
        .isZero();
  }

  @Test
  @Tag("full")
  void shouldPauseAForegroundRunOnOneCtrlCAfterItsStep() throws Exception {
    String run = api.start("paused", ledger.input());
    ledger.await("build", END);
    pause(run, true);
    api.awaitStatus(run, "paused", END);
    Path err = Files.createTempFile(on.folder, "resumed", ".err");
    ProcessBuilder builder =
        new ProcessBuilder(
                "env", "--default-signal=INT", BatonCliInvoker.program(), "resume", run, "--wait")
            .redirectOutput(on.folder.resolve("resumed.out").toFile())
            .redirectError(err.toFile());
    builder.environment().put("BATON_SKIP_BUILD", "1");
    builder.environment().put("BATON_SERVER", on.stack.orchestratorUrl());
    builder.environment().put("BATON_API_KEY", on.stack.apiKey());
    Process command = builder.start();
    try {
      Await.until("it runs again", END, () -> ledger.lines().size() == 2);
      interrupt(command);
      Await.until(
          "the command reports it",
          END,
          () -> Files.readString(err).contains("pausing after the step"));
      Await.until(
          "it is pausing", END, () -> api.run(run).path("status").asText().equals("pausing"));
      ledger.open();

      assertThat(command.waitFor(END.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(command.exitValue()).as(Files.readString(err)).isEqualTo(9);
      assertThat(ledger.lines()).containsExactly("build", "build");
      assertThat(api.types(run)).containsOnlyOnce("step_completed");
    } finally {
      command.destroyForcibly();
    }
  }
}
