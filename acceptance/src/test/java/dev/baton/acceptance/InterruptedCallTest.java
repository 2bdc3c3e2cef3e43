/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import dev.baton.scripted.ScriptedRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tool calls of the built-in loop in which agent and runner are killed, with a scripted model. Each
 * call appends to a file outside of the workspace, where a second execution is seen, and to one
 * inside, which is restored. The call {@code long} hangs when it runs for the first time.
 */
@UsesScriptedModels
class InterruptedCallTest {
  private static final Duration END = Duration.ofSeconds(180);
  private static final String UNKNOWN = "The outcome of this call is unknown";

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelStack stack;

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelServer endpoint;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @SuppressWarnings("NullAway.Init")
  private static Path done;

  @BeforeAll
  static void start() throws Exception {
    done = Files.createTempFile("baton-interrupted-calls-", ".txt");
    stack = ScriptedModelStack.with(InterruptedCallTest::reply);
    endpoint = stack.messages();
    on = stack.on;
    on.api.push(workflow("reruns", "Do it.", "turn", "tell: ['shell(printf*)']"));
    on.api.push(workflow("reports", "Do it.", "turn", "tell: [shell]"));
    on.api.push(workflow("asks", "Do it.", "turn", "ask: ['shell(echo long*)'], tell: [shell]"));
    on.api.push(workflow("repeats", "Do it twice.", "none", "tell: ['shell(echo short*)']"));
  }

  @AfterAll
  static void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
    Files.deleteIfExists(done);
  }

  @BeforeEach
  void forget() throws IOException {
    Files.writeString(done, "");
  }

  private static String workflow(String name, String prompt, String cut, String interrupted) {
    return """
        name: %s
        park_after: 1s
        steps:
          - {id: before, shell: 'echo begin > lines'}
          - id: work
            agent:
              use: loop
              model: claude-sonnet-4-5
              prompt: %s
              cut: %s
              interrupted: {%s}
          - {id: after, shell: 'cat lines'}
        """
        .formatted(name, prompt, cut, interrupted);
  }

  /** The call {@code short} ends before {@code long} begins. */
  private static ScriptedReply reply(ScriptedRequest request) {
    if (request.body().path("messages").path(0).toString().contains("twice")) {
      return ModelScript.byTurn(
              List.of(
                  ScriptedReply.empty().with(call("short", "true")),
                  ScriptedReply.empty().with(call("long", 2, "sleep 600")),
                  ScriptedReply.text("The end.")))
          .reply(request);
    }
    return ModelScript.byTurn(
            List.of(
                ScriptedReply.empty().with(call("short", "true")).with(call("long", "sleep 600")),
                ScriptedReply.text("The end.")))
        .reply(request);
  }

  private static ReplyPart call(String name, String first) {
    return call(name, 1, first);
  }

  /** Returns a call that runs another command in addition, the first times that it runs. */
  private static ReplyPart call(String name, int times, String first) {
    return new ReplyPart.ToolCall(
        "shell",
        "{\"command\": \"echo %1$s | tee -a lines >> %2$s; test $(grep -c %1$s %2$s) -gt %3$d || %4$s\"}"
            .formatted(name, done, times, first));
  }

  /** Starts a run and kills its runner, with the loop, in the call {@code long}. */
  private static String startAndKill(String workflow) throws Exception {
    String run = on.api.start(workflow, AcceptanceApiClient.JSON.createObjectNode());
    killIn(run, "short", "long");
    return run;
  }

  private static void killIn(String run, String... calls) {
    Await.until("the calls run", END, () -> Files.readAllLines(done).equals(List.of(calls)));
    assertThat(RunnerProcessHandle.of(run).orElseThrow().kill(true)).isTrue();
  }

  private static String results() {
    return endpoint.requests().getLast().body().path("messages").toString();
  }

  private static void assertPaidOnce(String run, int requestsBefore) throws Exception {
    assertThat(endpoint.requests().size() - requestsBefore).as("calls of the model").isEqualTo(2);
    assertThat(on.api.events(run, "model_answered"))
        .noneMatch(answer -> answer.path("diverged").asBoolean());
  }

  @Test
  void shouldRunACallAgainOnTheFilesFromBeforeIt() throws Exception {
    int before = endpoint.requests().size();
    String run = startAndKill("reruns");

    JsonNode end = on.api.awaitStatus(run, "completed", END);

    assertThat(end.path("output").asText().strip()).isEqualTo("begin\nshort\nlong");
    assertThat(Files.readAllLines(done)).containsExactly("short", "long", "short", "long");
    assertThat(on.api.events(run, "tool_begun")).isEmpty();
    assertPaidOnce(run, before);
  }

  @Test
  void shouldReportTheLossOfACallInsteadOfRunningItAgain() throws Exception {
    int before = endpoint.requests().size();
    String run = startAndKill("reports");

    JsonNode end = on.api.awaitStatus(run, "completed", END);

    assertThat(end.path("output").asText().strip()).isEqualTo("begin");
    assertThat(Files.readAllLines(done)).containsExactly("short", "long");
    assertThat(results()).contains("had ended with 'ok'", UNKNOWN);
    assertThat(on.api.count(run, "tool_begun")).isEqualTo(2);
    assertThat(
            on.api.events(run, "tool_invoked").stream().map(call -> call.path("outcome").asText()))
        .containsExactly("ok", "denied", "denied");
    assertPaidOnce(run, before);
  }

  @Test
  void shouldRunACallAgainThatAPersonApproves() throws Exception {
    int before = endpoint.requests().size();
    String run = startAndKill("asks");
    JsonNode waiting = awaitParked(run);
    assertThat(waiting.path("prompt").asText())
        .startsWith("run again after an interruption: shell");
    assertThat(waiting.at("/tool/reason").asText()).contains("its outcome is unknown");
    assertThat(Files.readAllLines(done)).containsExactly("short", "long");

    cli("approve", run);

    JsonNode end = on.api.awaitStatus(run, "completed", END);
    assertThat(end.path("output").asText().strip()).isEqualTo("begin\nlong");
    assertThat(Files.readAllLines(done)).containsExactly("short", "long", "long");
    assertThat(on.api.count(run, "approval_requested")).isEqualTo(1);
    assertPaidOnce(run, before);
  }

  @Test
  void shouldReportTheLossOfACallThatAPersonRefuses() throws Exception {
    int before = endpoint.requests().size();
    String run = startAndKill("asks");
    awaitParked(run);

    cli("reject", run, "--message", "Once is enough.");

    on.api.awaitStatus(run, "completed", END);
    assertThat(Files.readAllLines(done)).containsExactly("short", "long");
    assertThat(results()).contains(UNKNOWN, "Once is enough.");
    assertPaidOnce(run, before);
  }

  /** Without boundaries, the answer after the notice is in the journal, and fits the same one. */
  @Test
  void shouldGiveTheSameNoticeAfterEachDeath() throws Exception {
    int before = endpoint.requests().size();
    String run = startAndKill("repeats");
    killIn(run, "short", "long", "long");

    on.api.awaitStatus(run, "completed", END);

    assertThat(Files.readAllLines(done)).containsExactly("short", "long", "long", "long");
    assertThat(results()).contains("had ended with 'ok'");
    assertThat(endpoint.requests().size() - before)
        .as("three answers, and one again after the call had another result")
        .isEqualTo(4);
    assertThat(on.api.count(run, "tool_begun")).isEqualTo(1);
  }

  private static JsonNode awaitParked(String run) throws Exception {
    Await.until("run " + run + " is parked", END, () -> on.api.run(run).path("parked").isObject());
    assertThat(on.api.run(run).path("waiting")).hasSize(1);
    return on.api.run(run).at("/waiting/0");
  }

  private static void cli(String... arguments) throws Exception {
    BatonCliInvoker.Result result = BatonCliInvoker.run(on, arguments);
    assertThat(result.code()).as("%s", result).isZero();
  }
}
