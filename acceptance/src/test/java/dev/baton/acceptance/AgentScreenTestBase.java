/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.scripted.ScriptedReply;
import dev.baton.scripted.ScriptedRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A person at the screen of a real agent, which dies with its runner between two turns and within
 * one.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@UsesScriptedModels
abstract class AgentScreenTestBase {
  private static final Duration END = Duration.ofSeconds(120);

  /** The prompts of the step. */
  private static final String TALK = "-- Do the thing.";

  private static final String LONG_CALL = "-- Then longcallplease.";

  private final String use;
  private final String model;
  private final ScriptedModelStack.Form form;

  @SuppressWarnings("NullAway.Init")
  private ScriptedModelStack stack;

  @SuppressWarnings("NullAway.Init")
  private SharedStackExtension.RunningStack on;

  /** For files that no restore of a workspace removes. */
  @SuppressWarnings("NullAway.Init")
  private Path calls;

  AgentScreenTestBase(String use, String model, ScriptedModelStack.Form form) {
    this.use = use;
    this.model = model;
    this.form = form;
  }

  /** Returns an answer with a call of the agent's shell. */
  abstract ScriptedReply shell(String command);

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    calls = folder;
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/tmux")), "tmux is not installed");
    // Short ones: a screen draws the parts of an answer at several places of its output.
    List<ScriptedReply> talk =
        List.of(
            shell("echo a >> out.txt"),
            ScriptedReply.text("alpha1"),
            ScriptedReply.text("beta22"),
            ScriptedReply.text("gamma3"));
    List<ScriptedReply> longCall =
        List.of(
            ScriptedReply.text("alpha1"),
            shell(
                "echo a >> out.txt; touch %s; until test -e %s; do sleep 0.1; done"
                    .formatted(begun(), proceed())),
            ScriptedReply.text("beta22"));
    stack =
        ScriptedModelStack.withAgents(
            Map.of(
                form,
                request -> {
                  if (!isOfTheWork(request)) {
                    return ScriptedReply.text("{\"title\": \"A title\"}");
                  }
                  List<ScriptedReply> answers = has(request, LONG_CALL) ? longCall : talk;
                  return answers.get(Math.min(request.turn(), answers.size() - 1));
                }));
    on = stack.on;
    on.api.push(
        """
        name: talk
        steps:
          - id: work
            agent:
              use: %s
              model: %s
              system: Be brief.
              prompt: ${{ .input.task }}
              interactive: true
          - {id: after, shell: cat out.txt}
        """
            .formatted(use, model));
  }

  @AfterAll
  void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
  }

  private Path begun() {
    return calls.resolve("begun");
  }

  private Path proceed() {
    return calls.resolve("proceed");
  }

  private String start(String task) throws IOException, InterruptedException {
    return on.api.start("talk", AcceptanceApiClient.JSON.createObjectNode().put("task", task));
  }

  @Test
  void shouldContinueTheSameSessionOnTheSameScreenAfterItsRunnerWasKilled() throws Exception {
    String run = start(TALK);
    try (AttachedClient client = AttachedClient.attached(on, run)) {
      client.awaitText("alpha1");
      enter(client, "secondplease");
      client.awaitText("beta22");
    }
    AttachedClient.replaceRunner(on, run);

    try (AttachedClient again = AttachedClient.attached(on, run)) {
      again.awaitText("beta22");
      enter(again, "thirdplease");
      again.awaitText("gamma3");
      enter(again, "/exit");
      assertThat(again.end()).isZero();
    }
    JsonNode end = on.api.awaitStatus(run, "completed", END);
    assertThat(end.path("output").asText()).as(() -> stack.history(run)).isEqualTo("a");
    assertThat(on.api.events(run, "step_completed").getFirst().at("/output/value").asText())
        .isEqualTo("gamma3");
    assertThat(requestsOf(TALK)).as("each answer is paid once").isEqualTo(4);
    List<JsonNode> sessions = on.api.events(run, "agent_session_created");
    assertThat(sessions.get(1).path("session")).isEqualTo(sessions.get(0).path("session"));
    assertThat(sessions.get(1).hasNonNull("resumed_from")).isTrue();
    assertThat(sessions.get(1).at("/screen/panes").asInt()).isOne();
    assertThat(on.api.events(run, "tool_invoked"))
        .singleElement()
        .satisfies(call -> assertThat(call.path("outcome").asText()).isEqualTo("ok"));
  }

  /** The agent dies with its runner during a call, so that its turn is open. */
  @Test
  void shouldContinueAnOpenTurnWithoutAPersonAndPayItsAnswersOnce() throws Exception {
    String run = start(LONG_CALL);
    try (AttachedClient client = AttachedClient.attached(on, run)) {
      client.awaitText("alpha1");
      enter(client, "secondplease");
      Await.until("the call has begun", END, () -> Files.exists(begun()));
    }

    AttachedClient.replaceRunner(on, run);
    Files.createFile(proceed());

    try (AttachedClient again = AttachedClient.attached(on, run)) {
      again.awaitText("beta22");
      enter(again, "/exit");
      assertThat(again.end()).isZero();
    }
    JsonNode end = on.api.awaitStatus(run, "completed", END);
    assertThat(end.path("output").asText()).as(() -> stack.history(run)).isEqualTo("a");
    assertThat(requestsOf(LONG_CALL))
        .as("the answer with the call comes from the journal")
        .isEqualTo(3);
    List<JsonNode> sessions = on.api.events(run, "agent_session_created");
    assertThat(sessions).hasSize(2);
    assertThat(sessions.get(1).path("session")).isEqualTo(sessions.get(0).path("session"));
  }

  private long requestsOf(String task) {
    return stack.model(form).requests().stream()
        .filter(request -> isOfTheWork(request) && has(request, task))
        .count();
  }

  private static boolean has(ScriptedRequest request, String task) {
    return request.body().toString().contains(task);
  }

  /** Requests of titles have no tools. */
  private static boolean isOfTheWork(ScriptedRequest request) {
    return !request.body().path("tools").isEmpty();
  }

  /** Types a word and, once the screen shows it, the key that sends it. */
  private static void enter(AttachedClient client, String line) throws IOException {
    client.type(line);
    client.awaitText(line);
    client.type("\r");
  }
}
