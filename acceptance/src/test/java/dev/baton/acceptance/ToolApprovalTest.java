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
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.postgres.PostgresAccess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tool calls of the built-in loop that need the approval of a person, with a scripted model. Each
 * approved command appends to a file outside of the workspace, where a second execution is seen.
 */
@UsesScriptedModels
class ToolApprovalTest {
  private static final Duration END = Duration.ofSeconds(180);

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
    done = Files.createTempFile("baton-tool-approvals-", ".txt");
    stack = ScriptedModelStack.with(ToolApprovalTest::reply);
    endpoint = stack.messages();
    on = stack.on;
    on.api.push(workflow("sends", "6s", "ask: ['shell(echo *)']"));
    on.api.push(workflow("stays", "1h", "ask: ['shell(echo *)']"));
    on.api.push(workflow("parks", "1s", "ask: ['shell(echo *)']"));
    on.api.push(workflow("late", "1s", "ask: [shell], timeout: 4s"));
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

  private static String workflow(String name, String parkAfter, String tools) {
    return """
        name: %s
        park_after: %s
        input: {type: object}
        steps:
          - {id: before, shell: 'echo begin > lines'}
          - id: work
            agent:
              use: loop
              model: claude-sonnet-4-5
              prompt: 'Script ${{ .input.script }}.'
              tools: {%s}
        """
        .formatted(name, parkAfter, tools);
  }

  /** Chooses the script by the prompt. */
  private static ScriptedReply reply(ScriptedRequest request) {
    String conversation = request.body().path("messages").path(0).toString();
    List<ScriptedReply> script = new ArrayList<>();
    if (conversation.contains("Script one.")) {
      script.add(ScriptedReply.call("read_file", "{\"path\": \"lines\"}"));
      script.add(ScriptedReply.empty().with(append("sent")));
    } else if (conversation.contains("Script two.")) {
      script.add(ScriptedReply.empty().with(append("first")).with(append("second")));
    } else {
      script.add(ScriptedReply.empty().with(append("draft")));
      script.add(ScriptedReply.empty().with(append("final")));
    }
    script.add(ScriptedReply.text("The end."));
    return ModelScript.byTurn(script).reply(request);
  }

  private static ReplyPart append(String line) {
    return new ReplyPart.ToolCall(
        "shell", "{\"command\": \"echo %s >> %s\"}".formatted(line, done.toString()));
  }

  private static String start(String workflow, String script) throws Exception {
    return on.api.start(
        workflow, AcceptanceApiClient.JSON.createObjectNode().put("script", script));
  }

  private static List<JsonNode> awaitWaiting(String run, int calls) throws Exception {
    Await.until(
        calls + " calls of run " + run + " wait",
        END,
        () -> on.api.run(run).path("waiting").size() == calls);
    List<JsonNode> waiting = new ArrayList<>();
    on.api.run(run).path("waiting").forEach(waiting::add);
    return waiting;
  }

  private static void awaitParked(String run) {
    Await.until("run " + run + " is parked", END, () -> on.api.run(run).path("parked").isObject());
    Await.until("no process carries it", END, () -> RunnerProcessHandle.of(run).isEmpty());
  }

  private static void cli(String... arguments) throws Exception {
    BatonCliInvoker.Result result = BatonCliInvoker.run(on, arguments);
    assertThat(result.code()).as("%s", result).isZero();
  }

  /** Moves everything that has a time of this run into the past. */
  private static void pass(String run, int days) throws Exception {
    PostgresAccess postgres = on.stack.postgres();
    String since = " - interval '" + days + " days'";
    try (Connection sql =
            DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), postgres.password());
        Statement change = sql.createStatement()) {
      for (String table :
          List.of(
              "approval SET asked_at = asked_at%s WHERE run = '%s'",
              "parked SET parked_at = parked_at%s WHERE run = '%s'",
              "run SET created_at = created_at%1$s, started_at = started_at%1$s WHERE id = '%2$s'")) {
        assertThat(change.executeUpdate("UPDATE orchestrator." + table.formatted(since, run)))
            .isEqualTo(1);
      }
    }
  }

  @Test
  void shouldRunACallOnceThatWasParkedForDaysWhileEverythingDied() throws Exception {
    int before = endpoint.requests().size();
    String run = start("sends", "one");
    String approval = awaitWaiting(run, 1).getFirst().path("approval").asText();
    assertThat(RunnerProcessHandle.of(run).orElseThrow().kill(true)).isTrue();
    awaitParked(run);
    JsonNode waiting = awaitWaiting(run, 1).getFirst();
    assertThat(waiting.path("approval").asText()).as("the same one").isEqualTo(approval);
    assertThat(waiting.at("/tool/name").asText()).isEqualTo("shell");
    assertThat(waiting.at("/tool/input/command").asText()).contains("echo sent");
    assertThat(waiting.path("checkpoint").asText()).startsWith("sha256:");
    assertThat(BatonCliInvoker.run(on, "status", run).out())
        .contains("waits: shell: echo sent", "tool shell, call ", "\"command\"")
        .contains("baton approve " + approval, "parked");
    assertThat(Files.readString(done)).isEmpty();

    pass(run, 9);
    on.stack.kill(StackComponent.ORCHESTRATOR);
    on.stack.kill(StackComponent.STORE);
    on.stack.restart(StackComponent.STORE);
    on.stack.restart(StackComponent.ORCHESTRATOR);
    Await.until(
        "the run is shown again",
        END,
        () -> on.api.run(run).path("status").asText().equals("waiting"));
    cli("approve", run, "--by", "ann");

    JsonNode end = on.api.awaitStatus(run, "completed", END);
    assertThat(end.path("output").asText()).isEqualTo("The end.");
    assertThat(Files.readAllLines(done)).containsExactly("sent");
    assertThat(endpoint.requests().size() - before).as("calls of the model").isEqualTo(3);
    assertThat(on.api.count(run, "approval_requested")).isEqualTo(1);
    assertThat(on.api.count(run, "approval_answered")).isEqualTo(1);
    assertThat(on.api.events(run, "model_answered"))
        .hasSize(3)
        .noneMatch(answer -> answer.path("diverged").asBoolean());
    assertThat(on.api.events(run, "tool_invoked").getLast().path("outcome").asText())
        .isEqualTo("ok");
  }

  @Test
  void shouldRunTheApprovedOneOfTwoParallelCalls() throws Exception {
    runTheApprovedOneOfTwo("stays");
  }

  @Test
  @Tag("full")
  void shouldRunTheApprovedOneOfTwoParallelCallsOfAParkedRun() throws Exception {
    runTheApprovedOneOfTwo("parks");
  }

  private static void runTheApprovedOneOfTwo(String workflow) throws Exception {
    int before = endpoint.requests().size();
    String run = start(workflow, "two");
    List<JsonNode> waiting = awaitWaiting(run, 2);
    JsonNode first = named(waiting, "first");
    JsonNode second = named(waiting, "second");
    if (workflow.equals("parks")) {
      awaitParked(run);
    }
    assertThat(BatonCliInvoker.run(on, "approve", run).code()).as("which one?").isEqualTo(4);

    cli("approve", run, first.at("/tool/call").asText());
    if (workflow.equals("parks")) {
      Await.until(
          "it is parked for the other one",
          END,
          () -> on.api.count(run, "run_parked") == 2 && on.api.run(run).path("parked").isObject());
    }
    assertThat(awaitWaiting(run, 1).getFirst().path("approval")).isEqualTo(second.path("approval"));
    cli("reject", run, "--message", "Once is enough.");

    on.api.awaitStatus(run, "completed", END);
    assertThat(Files.readAllLines(done)).containsExactly("first");
    assertThat(endpoint.requests().size() - before).isEqualTo(2);
    assertThat(endpoint.requests().getLast().body().path("messages").toString())
        .contains("Once is enough.");
    assertThat(on.api.count(run, "approval_requested")).isEqualTo(2);
    assertThat(
            on.api.events(run, "tool_invoked").stream().map(call -> call.path("outcome").asText()))
        .containsExactly("ok", "denied");
  }

  private static JsonNode named(List<JsonNode> waiting, String line) {
    return waiting.stream()
        .filter(call -> call.at("/tool/input/command").asText().contains(line))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldRequestAnotherApprovalForAnotherInput() throws Exception {
    String run = start("stays", "three");
    JsonNode draft = awaitWaiting(run, 1).getFirst();
    cli("reject", run, "--message", "Not the draft.");
    Await.until(
        "another call waits",
        END,
        () ->
            on.api.run(run).path("waiting").size() == 1
                && !on.api.run(run).at("/waiting/0/approval").equals(draft.path("approval")));
    JsonNode other = awaitWaiting(run, 1).getFirst();
    assertThat(other.at("/tool/input_digest")).isNotEqualTo(draft.at("/tool/input_digest"));
    assertThat(
            on.api
                .post(
                    "/approvals/" + draft.path("approval").asText(),
                    AcceptanceApiClient.JSON.readTree("{\"answer\": {\"approved\": true}}"))
                .status())
        .as("an answer is final")
        .isEqualTo(409);
    cli("approve", run, "shell");

    on.api.awaitStatus(run, "completed", END);
    assertThat(Files.readAllLines(done)).containsExactly("final");
  }

  @Test
  void shouldRefuseACallThatNobodyHasDecidedOnInTime() throws Exception {
    String run = start("late", "two");
    List<JsonNode> waiting = awaitWaiting(run, 2);
    awaitParked(run);

    on.api.awaitStatus(run, "completed", END);

    assertThat(Files.readString(done)).isEmpty();
    assertThat(endpoint.requests().getLast().body().path("messages").toString())
        .contains("No person has decided on this call before ");
    for (JsonNode call : waiting) {
      assertThat(
              on.api
                  .get("/approvals/" + call.path("approval").asText())
                  .body()
                  .path("status")
                  .asText())
          .isEqualTo("expired");
    }
    assertThat(
            on.api
                .post(
                    "/approvals/" + waiting.getFirst().path("approval").asText(),
                    AcceptanceApiClient.JSON.readTree("{\"answer\": {\"approved\": true}}"))
                .status())
        .isEqualTo(409);
  }
}
