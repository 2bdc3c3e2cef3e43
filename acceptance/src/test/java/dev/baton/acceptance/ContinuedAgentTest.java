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
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Agent steps that continue the conversation of an earlier agent step. */
@UsesScriptedModels
class ContinuedAgentTest {
  private static final Duration END = Duration.ofSeconds(300);
  private static final int KILLS = Integer.getInteger("baton.agent.kills", 4);

  /** Answers in the first step and in the one that continues it. */
  private static final int FIRST = 3;

  private static final int SECOND = 5;
  private static final String EXPECTED = "a b between c d e f";

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelStack stack;

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelServer endpoint;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @BeforeAll
  static void start() throws Exception {
    stack =
        ScriptedModelStack.with(
            ModelScript.byTurn(
                List.of(
                    line("a"),
                    line("b"),
                    ScriptedReply.text("The first part is done."),
                    line("c"),
                    line("d"),
                    line("e"),
                    line("f"),
                    ScriptedReply.text("The second part is done."))));
    endpoint = stack.messages();
    on = stack.on;
    on.api.push(workflow("parts", ""));
    on.api.push(workflow("no-first", ", when: 'false'"));
  }

  private static ScriptedReply line(String line) {
    return ScriptedReply.empty()
        .with(
            new ReplyPart.ToolCall(
                "shell", "{\"command\": \"sleep 0.2; echo %s >> lines\"}".formatted(line)))
        .after(Duration.ofMillis(100));
  }

  private static String workflow(String name, String more) {
    return """
        name: %s
        steps:
          - id: first
            agent: {use: loop, model: claude-sonnet-4-5, prompt: 'Do part one.', budget: {turns: %d}}%s
          - {id: between, shell: 'echo between >> lines'}
          - id: second
            agent:
              use: loop
              model: claude-sonnet-4-5
              prompt: 'Do part two.'
              continue_from: first
              budget: {turns: %d}
          - {id: after, shell: 'xargs echo < lines'}
        """
        .formatted(name, FIRST, more.isEmpty() ? "" : "\n    " + more.substring(2), SECOND);
  }

  @AfterAll
  static void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
  }

  private static String output(JsonNode end) {
    return end.path("output").asText().strip();
  }

  private static List<String> sessions(String run, String step) throws Exception {
    return on.api.events(run, "agent_session_created").stream()
        .filter(session -> session.path("step").asText().equals(step))
        .map(session -> session.path("session").asText())
        .distinct()
        .toList();
  }

  @Test
  @Tag("full")
  void shouldContinueTheSessionWithItsOwnPromptAndBudget() throws Exception {
    int before = endpoint.requests().size();
    String run = on.api.start("parts", AcceptanceApiClient.JSON.createObjectNode());

    JsonNode end = on.api.awaitStatus(run, "completed", END);

    assertThat(output(end)).isEqualTo(EXPECTED);
    List<ScriptedRequest> requests =
        endpoint.requests().subList(before, endpoint.requests().size());
    assertThat(requests).hasSize(FIRST + SECOND);
    assertThat(requests.get(FIRST).body().path("messages").toString())
        .contains("Do part one.", "The first part is done.", "Do part two.");
    assertThat(sessions(run, "second")).isEqualTo(sessions(run, "first"));
    assertThat(on.api.events(run, "agent_session_created"))
        .noneMatch(session -> session.hasNonNull("degraded"));
    assertThat(
            on.api.events(run, "step_completed").stream()
                .filter(step -> step.has("conversation"))
                .map(step -> step.path("step").asText()))
        .as("conversations that a step continues")
        .containsExactly("first");
  }

  @Test
  void shouldDoAndPayEverythingOnceOverDeathsInTheSecondStep() throws Exception {
    Random random = SeededRandomFactory.random("a continued agent dies " + KILLS + " times");
    int before = endpoint.requests().size();
    String run = on.api.start("parts", AcceptanceApiClient.JSON.createObjectNode());
    int killed =
        new AgentRunnerKiller(
                random,
                KILLS,
                kill -> before + FIRST + 1 + (SECOND - 2) * (kill - 1) / KILLS,
                () -> endpoint.requests().size())
            .kill(run)
            .killed();

    JsonNode end = on.api.awaitStatus(run, "completed", END);

    int calls = endpoint.requests().size() - before;
    System.out.printf("  %d kills, %d calls for %d answers%n", killed, calls, FIRST + SECOND);
    assertThat(output(end)).isEqualTo(EXPECTED);
    assertThat(calls).isBetween(FIRST + SECOND, FIRST + SECOND + killed);
    assertThat(on.api.events(run, "model_answered").stream().filter(it -> it.has("answer")))
        .hasSize(FIRST + SECOND)
        .noneMatch(answer -> answer.path("diverged").asBoolean());
    assertThat(sessions(run, "second")).isEqualTo(sessions(run, "first"));
    assertThat(on.api.events(run, "agent_session_created"))
        .noneMatch(session -> session.hasNonNull("degraded"));
  }

  @Test
  void shouldContinueInAForkInASessionOfItsOwn() throws Exception {
    String parent = on.api.start("parts", AcceptanceApiClient.JSON.createObjectNode());
    on.api.awaitStatus(parent, "completed", END);
    for (String step : List.of("first", "between")) {
      int before = endpoint.requests().size();

      String fork =
          on.api
              .post(
                  "/runs/" + parent + "/fork",
                  AcceptanceApiClient.JSON.createObjectNode().put("step", step))
              .body()
              .path("id")
              .asText();
      JsonNode end = on.api.awaitStatus(fork, "completed", END);

      assertThat(output(end)).as("fork after " + step).isEqualTo(EXPECTED);
      assertThat(endpoint.requests().size() - before).isEqualTo(SECOND);
      assertThat(sessions(fork, "second"))
          .hasSize(1)
          .doesNotContainAnyElementsOf(sessions(parent, "first"));
      assertThat(on.api.events(fork, "agent_session_created"))
          .noneMatch(session -> session.hasNonNull("degraded"));
    }
  }

  @Test
  void shouldBeginInANewSessionWithoutTheEarlierOne() throws Exception {
    int before = endpoint.requests().size();
    String run = on.api.start("no-first", AcceptanceApiClient.JSON.createObjectNode());

    JsonNode end = on.api.awaitStatus(run, "completed", END);

    assertThat(output(end)).isEqualTo("between a b");
    JsonNode session = on.api.events(run, "agent_session_created").getFirst();
    assertThat(session.path("degraded").asText())
        .contains("step 'first' has not completed, or its conversation is in no checkpoint");
    assertThat(end.path("agent").path("degraded").asText()).contains("step 'first'");
    assertThat(endpoint.requests().get(before).body().toString())
        .contains("conversation was lost", "Do part two.");
  }
}
