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
import dev.baton.agent.testkit.InstalledAgents;
import dev.baton.protocol.json.TextShortener;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import dev.baton.standalone.StackComponent;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The real coding agents in agent steps, against scripted models: undisturbed, and killed together
 * with their runners. Skipped where they are not installed and npm is not there to install them.
 */
class CodingAgentTest {
  private static final int KILLS = Integer.getInteger("baton.agent.kills", 4);
  private static final Duration END = Duration.ofSeconds(300);

  /** The lines of the files that each script leaves, sorted. */
  private static final String EXPECTED = "a b c d e f g h world";

  private static final int ANSWERS = 8;

  /** A PNG of one pixel. */
  private static final String PIXEL =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelServer claude;

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelServer codex;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  /** An agent with its endpoint. */
  private enum Agent {
    CLAUDE("claude", "claude-sonnet-4-5"),
    CODEX("codex", "gpt-5");

    private final String use;
    private final String model;

    Agent(String use, String model) {
      this.use = use;
      this.model = model;
    }

    private ScriptedModelServer endpoint() {
      return this == CLAUDE ? claude : codex;
    }

    private String workflow() {
      return """
          name: %s-session
          steps:
            - {id: image, shell: 'echo %s | base64 -d > pixel.png'}
            - id: work
              agent: {use: %s, model: %s, images: pixel.png, prompt: 'Do it.'}
            - {id: after, shell: 'sort out.txt notes.txt | xargs echo'}
          """
          .formatted(use, PIXEL, use, model);
    }
  }

  @BeforeAll
  static void start() throws Exception {
    List<Path> programs =
        Stream.of(InstalledAgents.claude(), InstalledAgents.codex())
            .map(command -> Path.of(command.getFirst()).toAbsolutePath())
            .map(program -> Objects.requireNonNull(program.getParent()))
            .toList();
    claude = ScriptedModelServer.start(ClaudeScript::answer);
    codex = ScriptedModelServer.start(ModelScript.byTurn(codexScript()));
    String path =
        String.join(File.pathSeparator, programs.stream().map(Path::toString).toList())
            + File.pathSeparator
            + System.getenv("PATH");
    on =
        SharedStackExtension.RunningStack.of(
            builder ->
                builder
                    .environment(StackComponent.ORCHESTRATOR, "PATH", path)
                    // The shells of agents run the user's start-up files, which may take locks.
                    .environment(StackComponent.ORCHESTRATOR, "HOME", "/nonexistent")
                    .environment(
                        StackComponent.ORCHESTRATOR,
                        "BATON_MODELS_ANTHROPIC_MESSAGES_URL",
                        claude.baseUrl().toString())
                    .environment(
                        StackComponent.ORCHESTRATOR,
                        "BATON_MODELS_OPENAI_RESPONSES_URL",
                        codex.baseUrl().toString())
                    .environment(StackComponent.ORCHESTRATOR, "ANTHROPIC_API_KEY", "sk-one")
                    .environment(StackComponent.ORCHESTRATOR, "OPENAI_API_KEY", "sk-two"));
    for (Agent agent : Agent.values()) {
      on.api.push(agent.workflow());
    }
  }

  @AfterAll
  static void stop() throws IOException {
    if (on != null) {
      on.close();
      claude.close();
      codex.close();
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

  @ParameterizedTest
  @EnumSource(Agent.class)
  void shouldRunUndisturbed(Agent agent) throws Exception {
    int before = agent.endpoint().requests().size();
    String run = on.api.start(agent.use + "-session", AcceptanceApiClient.JSON.createObjectNode());

    JsonNode end = on.api.awaitStatus(run, "completed", END);

    assertThat(end.path("output").asText().strip()).isEqualTo(EXPECTED);
    assertThat(agent.endpoint().requests().size() - before).isEqualTo(ANSWERS);
    assertThat(end.path("agent").path("turns").asInt()).isEqualTo(ANSWERS);
    assertThat(agent.endpoint().requests().getLast().body().toString())
        .as("the image of the prompt")
        .contains(PIXEL.substring(0, PIXEL.length() / 2));
    assertThat(on.api.events(run, "tool_invoked")).isNotEmpty();
    assertThat(on.api.events(run, "agent_session_created")).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(Agent.class)
  void shouldDoAndPayEverythingOnceOverKills(Agent agent) throws Exception {
    Random random = SeededRandomFactory.random(agent.use + " and runner die " + KILLS + " times");
    int before = agent.endpoint().requests().size();
    String run = on.api.start(agent.use + "-session", AcceptanceApiClient.JSON.createObjectNode());
    int killed = 0;
    for (int kill = 1; kill <= KILLS; kill++) {
      // Before its first boundary an agent has no session to continue.
      int wanted = before + 2 + (ANSWERS - 3) * (kill - 1) / KILLS;
      Await.until(
          "the endpoint has " + wanted + " requests",
          END,
          () -> agent.endpoint().requests().size() >= wanted);
      TimeUnit.MILLISECONDS.sleep(random.nextLong(600));
      Await.until("the run has a runner", END, () -> RunnerProcessHandle.of(run).isPresent());
      Optional<RunnerProcessHandle> runner = RunnerProcessHandle.of(run);
      if (runner.isPresent() && runner.get().kill(random.nextBoolean())) {
        killed++;
      }
    }

    JsonNode end = on.api.awaitStatus(run, "completed", END);

    int calls = agent.endpoint().requests().size() - before;
    System.out.printf(
        "  %s: %d kills, %d calls for %d answers, %d processes%n",
        agent.use, killed, calls, ANSWERS, on.api.events(run, "agent_session_created").size());
    assertThat(end.path("output").asText().strip()).as(() -> history(run)).isEqualTo(EXPECTED);
    assertThat(calls).isBetween(ANSWERS, ANSWERS + killed);
    assertThat(on.api.events(run, "model_answered"))
        .filteredOn(answer -> answer.has("answer"))
        .hasSize(ANSWERS)
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
        .as(() -> history(run))
        .noneMatch(session -> session.hasNonNull("degraded"));
  }

  /** The run's events, for a failure. */
  private static String history(String run) {
    try {
      return on.api.events(run).stream()
          .map(
              event ->
                  event.path("time").asText()
                      + " "
                      + event.path("id").asText()
                      + " "
                      + event.path("type").asText()
                      + " "
                      + TextShortener.shorten(event.path("data").toString(), 400))
          .collect(Collectors.joining("\n"));
    } catch (IOException e) {
      return e.toString();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return e.toString();
    }
  }
}
