/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.testkit.ClaudeScript;
import dev.baton.agent.testkit.OpenCodeScript;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import dev.baton.scripted.ScriptedRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The real coding agents in the examples of the documentation, against scripted models:
 * undisturbed, and killed together with their runners. Skipped where they are not installed and npm
 * is not there to install them.
 */
@UsesScriptedModels
class CodingAgentTest {
  /** Of agents that start within a second; the others cost up to 10 s for each start. */
  private static final int KILLS = Integer.getInteger("baton.agent.kills", 4);

  private static final int KILLS_OF_SLOW = Math.max(1, KILLS / 2);
  private static final Duration END = Duration.ofSeconds(300);
  private static final Path EXAMPLES = Path.of("..", "examples");

  /** The lines of the files that each script leaves, sorted. */
  private static final String EXPECTED = "a b c d e f g h world";

  private static final int ANSWERS = 8;

  private static final String MORE = "Now describe what you have done.";

  /** A PNG of one pixel. */
  private static final String PIXEL =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelStack stack;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  /** An agent, with its example and its endpoint. */
  private enum Agent {
    CLAUDE(KILLS),
    CODEX(KILLS),
    OPENCODE(KILLS_OF_SLOW),
    ACP(KILLS_OF_SLOW);

    private final int kills;

    Agent(int kills) {
      this.kills = kills;
    }

    private String example() {
      return "agent-" + name().toLowerCase(Locale.ROOT);
    }

    /** Number of requests of the work that the agent's endpoint has received. */
    private int calls() {
      return (int) requests().count();
    }

    private Stream<ScriptedRequest> requests() {
      ScriptedModelStack.Form form =
          switch (this) {
            case CLAUDE, ACP -> ScriptedModelStack.Form.MESSAGES;
            case CODEX -> ScriptedModelStack.Form.RESPONSES;
            case OPENCODE -> ScriptedModelStack.Form.CHAT;
          };
      return stack.model(form).requests().stream().filter(ClaudeScript::isOfTheWork);
    }

    /** A second step, which continues the conversation of the first one. */
    private String continued() throws IOException {
      String example = Files.readString(EXAMPLES.resolve(example() + ".yaml"));
      String work = example.substring(example.indexOf("  - id: work"));
      return example.replace("name: " + example(), "name: " + example() + "-continued")
          + work.replace("id: work", "id: more")
              .replace("      model: ", "      continue_from: work\n      model: ")
              .replace("Sort the imports of all files in src, and run the tests.", MORE);
    }

    /** The example, with an image for its prompt, and a step that shows the files. */
    private String workflow() throws IOException {
      String example = Files.readString(EXAMPLES.resolve(example() + ".yaml"));
      String withImage =
          example
              .replace(
                  "steps:\n",
                  "steps:\n  - {id: image, shell: 'echo %s | base64 -d > pixel.png'}\n"
                      .formatted(PIXEL))
              .replace("      model: ", "      images: pixel.png\n      model: ");
      return withImage + "  - {id: after, shell: 'sort out.txt notes.txt | xargs echo'}\n";
    }
  }

  @BeforeAll
  static void start() throws Exception {
    stack =
        ScriptedModelStack.withAgents(
            Map.of(
                ScriptedModelStack.Form.MESSAGES, ClaudeScript::answer,
                ScriptedModelStack.Form.RESPONSES, ModelScript.byTurn(codexScript()),
                ScriptedModelStack.Form.CHAT, ModelScript.byTurn(OpenCodeScript.CHAT)));
    on = stack.on;
    for (Agent agent : Agent.values()) {
      on.api.push(agent.workflow());
      on.api.push(agent.continued());
    }
  }

  @AfterAll
  static void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
  }

  private static List<ScriptedReply> codexScript() {
    return List.of(
        shell(ScriptedReply.text("one"), "a"),
        shell(shell(ScriptedReply.text("two calls"), "b"), "c"),
        call("exec_command", "{\"cmd\":\"sleep 0.1; echo hello > notes.txt\",\"login\":false}"),
        shell(
            call(
                "exec_command",
                "{\"cmd\":\"sleep 0.1; sed -i s/hello/world/ notes.txt\",\"login\":false}"),
            "d"),
        call("exec_command", "{\"cmd\":\"exit 3\",\"login\":false}"),
        shell(shell(shell(ScriptedReply.text("three calls"), "e"), "f"), "g"),
        shell(ScriptedReply.text("last"), "h"),
        ScriptedReply.text("all done"));
  }

  private static ScriptedReply shell(ScriptedReply reply, String word) {
    return with(
        reply,
        "exec_command",
        "{\"cmd\":\"sleep 0.1; echo %s >> out.txt\",\"login\":false}".formatted(word));
  }

  private static ScriptedReply call(String name, String input) {
    return with(ScriptedReply.empty(), name, input);
  }

  private static ScriptedReply with(ScriptedReply reply, String name, String input) {
    return reply.with(new ReplyPart.ToolCall(name, input)).slowly(Duration.ofMillis(10));
  }

  /**
   * Runs of the others are part of the longer check; in every check each dies in the module {@code
   * agents/programs-it}.
   */
  @Test
  void shouldRunUndisturbed() throws Exception {
    runUndisturbed(Agent.CLAUDE);
  }

  @ParameterizedTest
  @Tag("full")
  @EnumSource(value = Agent.class, names = "CLAUDE", mode = EnumSource.Mode.EXCLUDE)
  void shouldRunTheOthersUndisturbed(Agent agent) throws Exception {
    runUndisturbed(agent);
  }

  private static void runUndisturbed(Agent agent) throws Exception {
    int before = agent.calls();
    String run = on.api.start(agent.example(), AcceptanceApiClient.JSON.createObjectNode());

    JsonNode end = stack.completed(run, END);

    assertThat(end.path("output").asText().strip())
        .as(() -> stack.history(run))
        .isEqualTo(EXPECTED);
    assertThat(agent.calls() - before).isEqualTo(ANSWERS);
    assertThat(end.path("agent").path("turns").asInt())
        .isBetween(ANSWERS, agent == Agent.ACP ? ANSWERS + 1 : ANSWERS);
    assertThat(agent.requests().toList().getLast().body().toString())
        .as("the image of the prompt")
        .contains(PIXEL.substring(0, PIXEL.length() / 2));
    assertThat(on.api.events(run, "tool_invoked")).isNotEmpty();
    assertThat(on.api.events(run, "agent_session_created")).hasSize(1);
  }

  @Test
  void shouldContinueInALaterStep() throws Exception {
    continueInALaterStep(Agent.CODEX);
  }

  @ParameterizedTest
  @Tag("full")
  @EnumSource(value = Agent.class, names = "CODEX", mode = EnumSource.Mode.EXCLUDE)
  void shouldContinueTheOthersInALaterStep(Agent agent) throws Exception {
    continueInALaterStep(agent);
  }

  private static void continueInALaterStep(Agent agent) throws Exception {
    int before = agent.calls();
    String run =
        on.api.start(agent.example() + "-continued", AcceptanceApiClient.JSON.createObjectNode());

    JsonNode end = stack.completed(run, END);

    assertThat(end.path("output").asText()).as(() -> stack.history(run)).isEqualTo("all done");
    assertThat(agent.calls() - before).isEqualTo(ANSWERS + 1);
    assertThat(agent.requests().toList().getLast().body().toString())
        .contains("Sort the imports", MORE);
    List<JsonNode> sessions = on.api.events(run, "agent_session_created");
    assertThat(sessions).as(() -> stack.history(run)).noneMatch(it -> it.hasNonNull("degraded"));
    assertThat(sessions.stream().map(session -> session.path("session").asText()).distinct())
        .as("the same session in both steps")
        .hasSize(1);
    assertThat(sessions).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource(
      value = Agent.class,
      names = {"CLAUDE", "CODEX"})
  void shouldDoAndPayEverythingOnceOverKills(Agent agent) throws Exception {
    killAndContinue(agent);
  }

  @ParameterizedTest
  @Tag("full")
  @EnumSource(
      value = Agent.class,
      names = {"CLAUDE", "CODEX"},
      mode = EnumSource.Mode.EXCLUDE)
  void shouldDoAndPayEverythingOnceOverKillsOfTheOthers(Agent agent) throws Exception {
    killAndContinue(agent);
  }

  private static void killAndContinue(Agent agent) throws Exception {
    Random random =
        SeededRandomFactory.random(agent + " and its runner die " + agent.kills + " times");
    int before = agent.calls();
    String run = on.api.start(agent.example(), AcceptanceApiClient.JSON.createObjectNode());
    // Before its first boundary an agent has no session to continue.
    int killed =
        new AgentRunnerKiller(
                random,
                agent.kills,
                kill -> before + 2 + (ANSWERS - 3) * (kill - 1) / agent.kills,
                agent::calls)
            .kill(run)
            .killed();

    JsonNode end = stack.completed(run, END);

    int calls = agent.calls() - before;
    System.out.printf(
        "  %s: %d kills, %d calls for %d answers, %d processes%n",
        agent, killed, calls, ANSWERS, on.api.events(run, "agent_session_created").size());
    assertThat(end.path("output").asText().strip())
        .as(() -> stack.history(run))
        .isEqualTo(EXPECTED);
    assertThat(calls).isBetween(ANSWERS, ANSWERS + killed);
    List<JsonNode> answers =
        on.api.events(run, "model_answered").stream()
            .filter(answer -> answer.has("answer"))
            .toList();
    // The adapter requests a title too, possibly again after a kill.
    assertThat(answers).hasSizeBetween(ANSWERS, agent == Agent.ACP ? 2 * ANSWERS : ANSWERS);
    assertThat(answers)
        .filteredOn(answer -> agent != Agent.ACP || !answer.path("tools").isEmpty())
        .noneMatch(answer -> answer.path("diverged").asBoolean());
    assertThat(
            on.api.events(run, "agent_session_created").stream()
                // Before its first boundary an agent has no session to continue.
                .filter(session -> session.hasNonNull("resumed_from"))
                .map(session -> session.path("session").asText())
                .distinct())
        .as("the same session throughout")
        .hasSizeLessThanOrEqualTo(1);
    assertThat(on.api.events(run, "agent_session_created"))
        .as(() -> stack.history(run))
        .noneMatch(session -> session.hasNonNull("degraded"));
  }
}
