/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.process.MarkedProcessFinder;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Processes that an agent's shell tool has started in the background, in sessions of their own. The
 * runner alone is killed, so that they and the agent are left behind.
 */
@UsesScriptedModels
class BackgroundStepTest {
  private static final Duration END = Duration.ofSeconds(180);
  private static final String SERVER =
      "sh -c echo up >> %1$s/starts; echo listening; while :; do sleep 0.2; done";

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelStack stack;

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelServer endpoint;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @SuppressWarnings("NullAway.Init")
  private static Path outside;

  @BeforeAll
  static void start() throws Exception {
    outside = Files.createTempDirectory("baton-background-");
    stack = ScriptedModelStack.with(ModelScript.byTurn(script()));
    endpoint = stack.messages();
    on = stack.on;
    on.api.push(
        """
        name: served
        steps:
          - id: work
            agent:
              use: loop
              model: claude-sonnet-4-5
              prompt: Serve.
              background:
                - {match: "sh -c echo up*"}
          - {id: after, shell: 'cat lines'}
        """);
  }

  @AfterAll
  static void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
    for (String file : List.of("starts", "hangs")) {
      Files.deleteIfExists(outside.resolve(file));
    }
    Files.deleteIfExists(outside);
  }

  private static List<ScriptedReply> script() {
    return List.of(
        shell(
            "mkdir web; (cd web; exec setsid sh -c 'echo up >> %1$s/starts; echo listening; while :; do sleep 0.2; done' > /dev/null 2>&1) & setsid sleep 43210 > /dev/null 2>&1 & echo started"),
        shell("echo one >> lines"),
        shell("echo two >> lines; test -e %1$s/hangs || { touch %1$s/hangs; sleep 600; }"),
        shell("cat \\\"$BATON_BACKGROUND_REPORT\\\""),
        ScriptedReply.text("The end."));
  }

  private static ScriptedReply shell(String command) {
    return ScriptedReply.empty()
        .with(
            new ReplyPart.ToolCall(
                "shell", "{\"command\": \"" + command.formatted(outside) + "\"}"));
  }

  @Test
  void shouldListEndAndStartThemAgain() throws Exception {
    int before = endpoint.requests().size();
    String server = SERVER.formatted(outside);
    String run = on.api.start("served", AcceptanceApiClient.JSON.createObjectNode());
    Await.until("the third call hangs", END, () -> Files.exists(outside.resolve("hangs")));
    JsonNode checkpoint = on.api.events(run, "checkpoint_saved").getLast();
    String id = checkpoint.path("checkpoint").asText();

    assertListed(id, server);
    assertThat(RunnerProcessHandle.of(run).orElseThrow().kill(false)).isTrue();
    JsonNode end = on.api.awaitStatus(run, "completed", END);

    assertThat(end.path("output").asText().strip()).isEqualTo("one\ntwo");
    assertThat(Files.readAllLines(outside.resolve("starts"))).containsExactly("up", "up");
    List<JsonNode> resumed = on.api.events(run, "background_resumed");
    assertThat(resumed).hasSize(1);
    assertOutcomes(resumed.getFirst().path("processes"), server);
    String results = endpoint.requests().getLast().body().path("messages").toString();
    assertThat(results)
        .as("the agent's report")
        .contains("43210", "\\\"outcome\\\":\\\"started\\\"");
    assertThat(endpoint.requests().size() - before).as("calls of the model").isEqualTo(5);
    assertThat(on.api.events(run, "model_answered"))
        .noneMatch(answer -> answer.path("diverged").asBoolean());
    assertThat(on.api.events(run, "agent_session_created").getLast().has("degraded")).isFalse();
    assertThat(
            MarkedProcessFinder.withVariables(Set.of("BATON_RUN_ID=" + run, "BATON_STEP_ID=work")))
        .as("left after the run")
        .isEmpty();
    assertThat(BatonCliInvoker.run(on, "events", run).out()).contains("background_resumed");
  }

  private static void assertListed(String checkpoint, String server) throws Exception {
    JsonNode listed =
        on.api.get("/checkpoints/" + checkpoint).body().at("/manifest/agent/background");
    assertThat(listed)
        .anySatisfy(
            process -> {
              assertThat(process.path("command").asText()).isEqualTo(server);
              assertThat(process.path("folder").asText()).isEqualTo("web");
              assertThat(process.path("started_at").asText()).isNotEmpty();
            })
        .anySatisfy(
            process -> {
              assertThat(process.path("command").asText()).isEqualTo("sleep 43210");
              assertThat(process.path("folder").asText()).isEqualTo(".");
            });
    BatonCliInvoker.Result shown = BatonCliInvoker.run(on, "checkpoint", "show", checkpoint);
    assertThat(shown.code()).as("%s", shown).isZero();
    assertThat(shown.out()).contains("background", "sleep 43210 (in ., since ");
  }

  private static void assertOutcomes(JsonNode processes, String server) {
    assertThat(processes)
        .anySatisfy(
            process -> {
              assertThat(process.path("command").asText()).isEqualTo(server);
              assertThat(process.path("outcome").asText()).isEqualTo("started");
              assertThat(process.path("log").asText()).contains("baton-background");
            })
        .anySatisfy(
            process -> {
              assertThat(process.path("command").asText()).isEqualTo("sleep 43210");
              assertThat(process.path("outcome").asText()).isEqualTo("ended");
            });
  }
}
