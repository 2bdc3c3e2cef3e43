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
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A person at the screen of the real Codex. */
@Tag("full")
class InteractiveCodexTest {
  private static final Duration END = Duration.ofSeconds(120);

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelStack stack;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/tmux")), "tmux is not installed");
    // Short ones: a screen draws the parts of an answer at several places of its output.
    List<ScriptedReply> answers =
        List.of(
            ScriptedReply.text("a call")
                .with(
                    new ReplyPart.ToolCall(
                        "exec_command", "{\"cmd\":\"echo a >> out.txt\",\"login\":false}")),
            ScriptedReply.text("alpha1"),
            ScriptedReply.text("beta22"),
            ScriptedReply.text("gamma3"));
    ModelScript script =
        request ->
            isOfTheWork(request)
                ? answers.get(Math.min(request.turn(), answers.size() - 1))
                : ScriptedReply.text("{\"title\": \"A title\"}");
    stack = ScriptedModelStack.startWithAgents(Map.of(ScriptedModelStack.Form.RESPONSES, script));
    on = stack.on;
    on.api.push(
        """
        name: talk-codex
        steps:
          - id: work
            agent:
              use: codex
              model: gpt-5
              system: Be brief.
              prompt: -- Do the thing.
              interactive: true
          - {id: after, shell: cat out.txt}
        """);
  }

  @AfterAll
  static void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
  }

  @Test
  void shouldContinueTheSameSessionOnTheSameScreenAfterItsRunnerWasKilled() throws Exception {
    String run = on.api.start("talk-codex", AcceptanceApiClient.JSON.createObjectNode());
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
    assertThat(
            stack.model(ScriptedModelStack.Form.RESPONSES).requests().stream()
                .filter(InteractiveCodexTest::isOfTheWork))
        .as("each answer is paid once")
        .hasSize(4);
    List<JsonNode> sessions = on.api.events(run, "agent_session_created");
    assertThat(sessions.get(1).path("session")).isEqualTo(sessions.get(0).path("session"));
    assertThat(sessions.get(1).hasNonNull("resumed_from")).isTrue();
    assertThat(sessions.get(1).at("/screen/panes").asInt()).isOne();
    assertThat(on.api.events(run, "tool_invoked"))
        .singleElement()
        .satisfies(call -> assertThat(call.path("outcome").asText()).isEqualTo("ok"));
  }

  /** Codex requests titles, without tools. */
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
