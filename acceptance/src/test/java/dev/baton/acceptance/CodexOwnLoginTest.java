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
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs Codex by its own login: it reaches a scripted endpoint without the gateway. */
@Tag("full")
class CodexOwnLoginTest {
  private static final int KILLS = Integer.getInteger("baton.agent.kills", 4);

  private static final Duration END = Duration.ofSeconds(300);

  /** The lines of the files that the script leaves, sorted. */
  private static final String EXPECTED = "a b c d e f world";

  private static final List<ScriptedReply> SCRIPT =
      List.of(
          append(ScriptedReply.text("one"), "a"),
          append(append(ScriptedReply.text("two calls"), "b"), "c"),
          shell(
              ScriptedReply.empty(),
              "apply_patch <<'EOF'\\n*** Begin Patch\\n*** Add File: notes.txt\\n+world\\n"
                  + "*** End Patch\\nEOF"),
          append(append(ScriptedReply.text("two more"), "d"), "e"),
          shell(ScriptedReply.text("fails"), "exit 3"),
          append(ScriptedReply.text("last"), "f"),
          ScriptedReply.text("all done"));

  private static final int ANSWERS = SCRIPT.size();
  private static final String SECRET = "sk-of-the-own-login";

  private static final String WORKFLOW =
      """
      name: codex-login
      steps:
        - id: work
          agent:
            use: codex
            gateway: off
            login: [OPENAI_BASE_URL, OPENAI_API_KEY]
            model: gpt-5
            prompt: Sort the imports of all files in src, and run the tests.
        - {id: after, shell: 'sort out.txt notes.txt | xargs echo'}
      """;

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelServer model;

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelStack stack;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @BeforeAll
  static void start(@TempDir Path programs) throws Exception {
    Path script = programs.resolve("codex");
    Files.writeString(
        script,
        "#!/bin/sh\nexec '%s' \"$@\"\n"
            .formatted(Path.of(InstalledAgents.codex().getFirst()).toAbsolutePath()));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    model = ScriptedModelServer.start(ModelScript.byTurn(SCRIPT));
    stack =
        ScriptedModelStack.start(
            Map.of(),
            Map.of(
                "PATH",
                programs + ":" + System.getenv("PATH"),
                "HOME",
                "/nonexistent",
                "OPENAI_BASE_URL",
                model.baseUrl() + "/v1",
                "OPENAI_API_KEY",
                SECRET,
                "BATON_AGENT_LOGIN",
                "OPENAI_BASE_URL, OPENAI_API_KEY"));
    on = stack.on;
    on.api.push(WORKFLOW);
    on.api.push(
        WORKFLOW
            .replace("name: codex-login", "name: codex-budget")
            .replace("model:", "budget: {turns: 3}\n      model:"));
  }

  @AfterAll
  static void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
    if (model != null) {
      model.close();
    }
  }

  private static ScriptedReply shell(ScriptedReply reply, String command) {
    return reply
        .with(
            new ReplyPart.ToolCall("exec_command", "{\"cmd\":\"" + command + "\",\"login\":false}"))
        .slowly(Duration.ofMillis(10));
  }

  private static ScriptedReply append(ScriptedReply reply, String word) {
    return shell(reply, "sleep 0.1; echo " + word + " >> out.txt");
  }

  private static int calls() {
    return (int) model.requests().stream().filter(ClaudeScript::isOfTheWork).count();
  }

  @Test
  void shouldReportWhatTheAgentSays() throws Exception {
    int before = calls();
    String run = on.api.start("codex-login", AcceptanceApiClient.JSON.createObjectNode());

    JsonNode end = stack.completed(run, END);

    assertThat(end.path("output").asText().strip())
        .as(() -> stack.history(run))
        .isEqualTo(EXPECTED);
    assertThat(calls() - before).isEqualTo(ANSWERS);
    JsonNode agent = end.path("agent");
    assertThat(agent.path("own_login").asBoolean()).isTrue();
    assertThat(agent.path("turns").asInt()).isEqualTo(ANSWERS);
    assertThat(agent.path("tokens").asLong()).isPositive();
    assertThat(agent.path("cost").asDouble()).isPositive();
    assertThat(agent.path("repeated_calls")).isEmpty();
    assertThat(on.api.events(run, "model_answered"))
        .hasSize(ANSWERS)
        .allMatch(answer -> answer.path("form").asText().equals("reported"))
        .noneMatch(answer -> answer.has("answer"));
    assertThat(OwnLoginTest.turns(on, run))
        .as("one after the calls of each answer")
        .hasSize(ANSWERS - 1);
    assertThat(on.api.events(run).toString()).doesNotContain(SECRET);
  }

  @Test
  void shouldPayOneMoreCallForAKillAndListWhatRunsAgain() throws Exception {
    Random random =
        SeededRandomFactory.random("a Codex with its own login dies " + KILLS + " times");
    int before = calls();
    String run = on.api.start("codex-login", AcceptanceApiClient.JSON.createObjectNode());
    int killed =
        new AgentRunnerKiller(
                random,
                KILLS,
                kill -> before + 2 + (ANSWERS - 3) * (kill - 1) / KILLS,
                CodexOwnLoginTest::calls)
            .kill(run);

    JsonNode end = stack.completed(run, END);

    int calls = calls() - before;
    List<JsonNode> repeats = on.api.events(run, "calls_repeated");
    System.out.printf(
        "  Codex by its own login: %d kills, %d calls for %d answers, %d processes, repeated: %s%n",
        killed,
        calls,
        ANSWERS,
        on.api.events(run, "agent_session_created").size(),
        repeats.stream().map(event -> event.path("calls").toString()).toList());
    assertThat(end.path("output").asText().strip())
        .as(() -> stack.history(run))
        .isEqualTo(EXPECTED);
    assertThat(calls).isBetween(ANSWERS, ANSWERS + killed);
    assertThat(on.api.events(run, "agent_session_created"))
        .as(() -> stack.history(run))
        .noneMatch(session -> session.hasNonNull("degraded"));
    List<String> listed = new ArrayList<>();
    repeats.forEach(
        event -> event.path("calls").forEach(call -> listed.add(call.path("id").asText())));
    assertThat(listed).as(() -> stack.history(run)).isEqualTo(OwnLoginTest.lost(on, run));
    assertThat(end.path("agent").path("repeated_count").asInt()).isEqualTo(listed.size());
  }

  @Test
  void shouldStopAtABudget() throws Exception {
    int before = calls();
    String run = on.api.start("codex-budget", AcceptanceApiClient.JSON.createObjectNode());

    JsonNode end = on.api.awaitStatus(run, "failed", END);

    assertThat(end.path("error").path("code").asText())
        .as(() -> stack.history(run))
        .isEqualTo("budget");
    assertThat(calls() - before).isEqualTo(3);
  }
}
