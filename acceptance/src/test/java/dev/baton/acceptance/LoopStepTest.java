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
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The built-in loop in a real run, killed together with its runner at random moments: its commands
 * append to a file, so that each one that ran twice, or not at all, would be seen.
 */
@UsesScriptedModels
class LoopStepTest {
  private static final int TURNS = 18;
  private static final int KILLS = Integer.getInteger("baton.loop.kills", 5);
  private static final Duration END = Duration.ofSeconds(300);

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelStack stack;

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelServer endpoint;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @BeforeAll
  static void start() throws Exception {
    stack = ScriptedModelStack.with(ModelScript.byTurn(script()));
    endpoint = stack.messages();
    on = stack.on;
    on.api.push(workflow("looped", ""));
    on.api.push(workflow("planned", ", cut: plan"));
    on.api.push(
        workflow(
            "chosen",
            ", cut: {when: '.type == \"tool_invoked\" and (.data.input | tostring | test(\"second-6\"))'}"));
    on.api.push(workflow("poor", ", budget: {cost: 0.001}"));
    on.api.push(workflow("bounded", ", tools: {deny: ['update_step']}, budget: {turns: 3}"));
  }

  private static String workflow(String name, String more) {
    return """
        name: %s
        steps:
          - {id: before, shell: 'echo begin > lines'}
          - id: work
            agent: {use: loop, model: claude-sonnet-4-5, prompt: 'Do it.'%s}
          - {id: after, shell: 'cat lines'}
        """
        .formatted(name, more);
  }

  @AfterAll
  static void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
  }

  private static ReplyPart append(String line) {
    return new ReplyPart.ToolCall(
        "shell", "{\"command\": \"sleep 0.2; echo %s >> lines\"}".formatted(line));
  }

  private static List<ScriptedReply> script() {
    List<ScriptedReply> replies = new ArrayList<>();
    replies.add(
        ScriptedReply.call(
            "planning_setup_plan", "{\"objective\": \"all lines\", \"steps\": [\"write\"]}"));
    for (int i = 1; i < TURNS; i++) {
      ScriptedReply reply = ScriptedReply.empty().with(append("line-" + i));
      if (i % 6 == 0) {
        reply = reply.with(append("second-" + i)).with(append("third-" + i));
      }
      if (i == TURNS - 1) {
        reply =
            reply.with(
                new ReplyPart.ToolCall("update_step", "{\"step\": 1, \"status\": \"done\"}"));
      }
      replies.add(reply.after(Duration.ofMillis(100)).usage(100 + i, 0, 0, 10, 0));
    }
    replies.add(ScriptedReply.text("All lines are written.").usage(7, 0, 0, 3, 0));
    return replies;
  }

  private static String expected() {
    StringBuilder lines = new StringBuilder("begin\n");
    for (int i = 1; i < TURNS; i++) {
      lines.append("line-").append(i).append('\n');
      if (i % 6 == 0) {
        lines.append("second-").append(i).append("\nthird-").append(i).append('\n');
      }
    }
    return lines.toString().strip();
  }

  @Test
  void shouldDoAndPayEverythingOnceHoweverOftenItDies() throws Exception {
    Random random = SeededRandomFactory.random("loop and runner die " + KILLS + " times");
    int before = endpoint.requests().size();
    String run = on.api.start("looped", AcceptanceApiClient.JSON.createObjectNode());
    int killed =
        new AgentRunnerKiller(
                random,
                KILLS,
                kill -> before + 1 + (TURNS - 2) * kill / (KILLS + 1),
                () -> endpoint.requests().size())
            .kill(run)
            .killed();

    JsonNode end = on.api.awaitStatus(run, "completed", END);

    assertThat(end.path("output").asText().strip()).isEqualTo(expected());
    List<JsonNode> answers =
        on.api.events(run, "model_answered").stream()
            .filter(answer -> answer.has("answer"))
            .toList();
    int calls = endpoint.requests().size() - before;
    System.out.printf(
        "  %d kills, %d calls for %d answers, %d processes of the loop%n",
        killed, calls, answers.size(), on.api.events(run, "agent_session_created").size());
    assertThat(killed).isGreaterThanOrEqualTo(KILLS - 1);
    assertThat(answers).as("paid and kept").hasSize(TURNS + 1);
    assertThat(calls).isBetween(TURNS + 1, TURNS + 1 + killed);
    assertThat(answers).noneMatch(answer -> answer.path("diverged").asBoolean());
    assertThat(on.api.events(run, "agent_session_created"))
        .allSatisfy(session -> assertThat(session.path("agent").asText()).isEqualTo("loop"));
    assertThat(
            on.api.events(run, "agent_session_created").stream()
                .map(session -> session.path("session").asText())
                .distinct())
        .as("the same session throughout")
        .hasSize(1);
    assertThat(
            on.api
                .events(run, "plan_updated")
                .getLast()
                .path("items")
                .path(0)
                .path("status")
                .asText())
        .isEqualTo("completed");
    assertThat(on.api.events(run, "tool_invoked"))
        .allSatisfy(call -> assertThat(call.path("outcome").asText()).isEqualTo("ok"));
  }

  private static List<JsonNode> turnsCut(String run) throws Exception {
    return on.api.events(run, "checkpoint_saved").stream()
        .filter(saved -> saved.path("turn").isObject())
        .toList();
  }

  @Test
  void shouldContinueWhereAnEventHasMadeACheckpoint() throws Exception {
    int before = endpoint.requests().size();
    String run = on.api.start("chosen", AcceptanceApiClient.JSON.createObjectNode());
    assertThat(
            new AgentRunnerKiller(
                    SeededRandomFactory.random("a runner dies after the chosen turn"),
                    1,
                    kill -> before + 12,
                    () -> endpoint.requests().size())
                .kill(run)
                .killed())
        .isEqualTo(1);

    JsonNode end = on.api.awaitStatus(run, "completed", END);

    assertThat(end.path("output").asText().strip()).isEqualTo(expected());
    assertThat(turnsCut(run)).as("after the sixth line").hasSize(1);
    assertThat(on.api.events(run, "agent_session_created").getLast().path("resumed_from").asText())
        .isEqualTo(turnsCut(run).getFirst().path("checkpoint").asText());
    assertThat(endpoint.requests().size() - before).isBetween(TURNS + 1, TURNS + 2);
    assertThat(on.api.events(run, "model_answered"))
        .noneMatch(answer -> answer.path("diverged").asBoolean());
  }

  @Test
  void shouldMakeACheckpointWhenAnItemOfThePlanIsCompleted() throws Exception {
    String run = on.api.start("planned", AcceptanceApiClient.JSON.createObjectNode());

    JsonNode end = on.api.awaitStatus(run, "completed", END);

    assertThat(end.path("output").asText().strip()).isEqualTo(expected());
    assertThat(turnsCut(run)).as("the plan has one item").hasSize(1);
  }

  @Test
  @Tag("full")
  void shouldContinueWithTheBudgetOfAResume() throws Exception {
    int before = endpoint.requests().size();
    String run = on.api.start("poor", AcceptanceApiClient.JSON.createObjectNode());
    JsonNode failed = on.api.awaitStatus(run, "failed", END);
    assertThat(failed.path("error").path("code").asText()).isEqualTo("budget");
    assertThat(failed.path("error").path("message").asText()).contains("--budget cost=N");
    int paid = endpoint.requests().size() - before;
    assertThat(paid).isBetween(1, 5);

    BatonCliInvoker.Result resumed = BatonCliInvoker.run(on, "resume", run, "--budget", "cost=5");

    assertThat(resumed.code()).as("%s", resumed).isZero();
    JsonNode end = on.api.awaitStatus(run, "completed", END);
    assertThat(end.path("output").asText().strip()).isEqualTo(expected());
    assertThat(endpoint.requests().size() - before)
        .as("each answer paid once")
        .isEqualTo(TURNS + 1);
    assertThat(on.api.events(run, "model_answered"))
        .noneMatch(answer -> answer.path("diverged").asBoolean());
  }

  @Test
  @Tag("full")
  void shouldStopAtItsBudget() throws Exception {
    int before = endpoint.requests().size();
    String run = on.api.start("bounded", AcceptanceApiClient.JSON.createObjectNode());

    JsonNode failed = on.api.awaitStatus(run, "failed", END);

    assertThat(failed.path("error").path("code").asText()).isEqualTo("budget");
    assertThat(failed.path("error").path("message").asText())
        .contains("turns budget of 3 turns is used up");
    assertThat(endpoint.requests().size() - before).isEqualTo(3);
  }
}
