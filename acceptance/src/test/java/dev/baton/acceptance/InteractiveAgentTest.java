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
import dev.baton.acceptance.agent.ScreenAgentMain;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ScriptedReply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A person at the screen of an agent, with real processes: types through the command, the
 * orchestrator and tmux, and sees the same screen again after the runner was killed.
 */
@UsesScriptedModels
class InteractiveAgentTest {
  private static final Duration END = Duration.ofSeconds(120);
  private static final int CONFLICT = 5;

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelStack stack;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/tmux")), "tmux is not installed");
    stack =
        ScriptedModelStack.with(
            ModelScript.byTurn(
                List.of(
                    ScriptedReply.text("answer one"),
                    ScriptedReply.text("answer two"),
                    ScriptedReply.text("answer three"))));
    on = stack.on;
    Path arguments = on.folder.resolve("screen.args");
    Files.writeString(
        arguments,
        "-XX:TieredStopAtLevel=1 -Xmx64m -cp \"%s\" %s"
            .formatted(System.getProperty("java.class.path"), ScreenAgentMain.class.getName()));
    on.api.push(
        """
        name: talk
        steps:
          - id: work
            agent:
              use: command
              command: ['%s', '@%s']
              model: claude-sonnet-4-5
              prompt: Talk to me.
              interactive: true
        """
            .formatted(Path.of(System.getProperty("java.home"), "bin", "java"), arguments));
    on.api.push("name: alone\nsteps:\n  - {id: work, shell: 'sleep 60'}\n");
  }

  @AfterAll
  static void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
  }

  @Test
  void shouldShowTheScreenAgainAfterItsRunnerWasKilled() throws Exception {
    int before = stack.messages().requests().size();
    String run = on.api.start("talk", AcceptanceApiClient.JSON.createObjectNode());
    try (AttachedClient first = AttachedClient.attached(on, run);
        AttachedClient second = AttachedClient.attached(on, run, "--read-only")) {
      first.awaitText("task: Talk to me.");
      first.type("first line\r");
      first.awaitText("model: answer one");
      first.type("second line\r");
      first.awaitText("model: answer two");
      second.awaitText("model: answer two");
      second.type("not typed\r");
      assertThat(first.detach()).isZero();
      Await.until(
          "a checkpoint of the detach",
          END,
          () ->
              on.api.events(run, "checkpoint_saved").stream()
                  .anyMatch(event -> event.path("trigger").asText().equals("detach")));
    }

    AttachedClient.replaceRunner(on, run);

    try (AttachedClient again = AttachedClient.attached(on, run)) {
      again.awaitText("model: answer two");
      assertThat(again.text())
          .contains("first line", "model: answer one", "second line")
          .doesNotContain("not typed");
      again.type("third line\r");
      again.awaitText("model: answer three");
      again.type("quit\r");
      assertThat(again.end()).isZero();
    }
    JsonNode end = on.api.awaitStatus(run, "completed", END);
    assertThat(end.path("output").asText()).isEqualTo("the end");
    assertThat(stack.messages().requests()).as("each answer is paid once").hasSize(before + 3);
    BatonCliInvoker.Result late = BatonCliInvoker.run(on, "attach", run);
    assertThat(late.code()).isEqualTo(CONFLICT);
    assertThat(late.err()).contains("only an active run has a screen");
  }

  @Test
  void shouldNameConversationAndScreenOfACheckpointAndOfItsRestore() throws Exception {
    String run = on.api.start("talk", AcceptanceApiClient.JSON.createObjectNode());
    try (AttachedClient client = AttachedClient.attached(on, run)) {
      client.awaitText("ready");
      client.type("first line\r");
      client.awaitText("model: answer one");
      client.type("second line\r");
      client.awaitText("model: answer two");
    }

    BatonCliInvoker.Result created = BatonCliInvoker.run(on, "checkpoint", "create", run);

    assertThat(created.code()).as(created.err()).isZero();
    assertThat(created.out())
        .contains(
            "├── Capturing conversation state... done (3 messages)",
            "├── Saving tmux layout... done (1 window, 1 pane)");
    JsonNode manual = newest(run, "manual");
    assertThat(manual.has("resumes")).as("no agent resumes with it").isFalse();
    Path exported = on.folder.resolve("exported");
    BatonCliInvoker.Result export =
        BatonCliInvoker.run(
            on,
            "checkpoint",
            "export",
            manual.path("checkpoint").asText(),
            "--to",
            exported.toString());
    assertThat(export.code()).as(export.err()).isZero();
    assertThat(exported.resolve("tmux_state.txt"))
        .content()
        .startsWith("baton screen 1\nwindow 0 active ")
        .contains("model: answer two");
    assertThat(exported.resolve("conversation.json")).content().contains("second line");

    BatonCliInvoker.Result restored =
        BatonCliInvoker.run(
            on,
            "checkpoint",
            "restore",
            newest(run, "turn").path("checkpoint").asText(),
            "--run",
            "-ojson");

    assertThat(restored.code()).as(restored.err()).isZero();
    JsonNode facts = AcceptanceApiClient.JSON.readTree(restored.out()).path("restored");
    assertThat(facts.path("screen").path("panes").asInt()).as(facts.toString()).isOne();
    assertThat(facts.path("agent").path("use").asText()).isEqualTo("command");
    String fork = AcceptanceApiClient.JSON.readTree(restored.out()).path("id").asText();
    assertThat(fork).isNotEqualTo(run);
    try (AttachedClient client = AttachedClient.attached(on, fork)) {
      client.awaitText("model: answer two");
      assertThat(client.text()).contains("model: answer one");
    }
    for (String each : List.of(run, fork)) {
      on.api.post("/runs/" + each + "/cancel", AcceptanceApiClient.JSON.createObjectNode());
    }
  }

  private static JsonNode newest(String run, String trigger) throws Exception {
    return on.api.events(run, "checkpoint_saved").stream()
        .filter(event -> event.path("trigger").asText().equals(trigger))
        .reduce((_, later) -> later)
        .orElseThrow();
  }

  @Test
  void shouldRefuseARunWithoutAScreen() throws Exception {
    String run = on.api.start("alone", AcceptanceApiClient.JSON.createObjectNode());
    on.api.awaitStatus(run, "running", END);

    BatonCliInvoker.Result refused = BatonCliInvoker.run(on, "attach", run);

    assertThat(refused.code()).as(refused.err()).isEqualTo(CONFLICT);
    assertThat(refused.err()).contains("no interactive step of the run is in progress");
    on.api.post("/runs/" + run + "/cancel", AcceptanceApiClient.JSON.createObjectNode());
  }
}
