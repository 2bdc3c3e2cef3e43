/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.trace.RunId;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import dev.baton.scripted.ScriptedRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Forks of a run of the built-in loop at a turn, with another prompt and model: only what follows
 * is requested again, in a session of its own.
 */
@UsesScriptedModels
class AgentForkTest {
  private static final int TOOLS = 6;

  /** The boundary before answer 4: three lines are written. */
  private static final int TURN = 4;

  private static final String MORE = "Write no more lines than you have to.";
  private static final Duration END = Duration.ofSeconds(300);

  @TempDir private Path folder;

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelStack stack;

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelServer endpoint;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @BeforeAll
  static void start() throws Exception {
    stack = ScriptedModelStack.with(script());
    endpoint = stack.messages();
    on = stack.on;
    on.api.push(
        """
        name: lines
        steps:
          - {id: before, shell: 'echo begin > lines'}
          - id: work
            agent: {use: loop, model: claude-sonnet-4-5, prompt: 'Do it.'}
          - {id: after, shell: 'cat lines'}
        """);
    on.api.push(
        """
        name: guarded
        steps:
          - id: work
            agent:
              use: loop
              model: claude-sonnet-4-5
              prompt: 'Do it.'
              interrupted: {tell: ['shell(git push*)']}
        """);
  }

  @AfterAll
  static void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
  }

  /** A conversation with the other prompt ends after one more line. */
  private static ModelScript script() {
    List<ScriptedReply> lines = new ArrayList<>();
    for (int i = 1; i <= TOOLS; i++) {
      lines.add(line("line-" + i));
    }
    lines.add(ScriptedReply.text("All lines are written."));
    ModelScript plain = ModelScript.byTurn(lines);
    return request -> {
      if (!request.body().toString().contains(MORE)) {
        return plain.reply(request);
      }
      return request.turn() == TURN - 1
          ? line("last")
          : ScriptedReply.text("One more line is written.");
    };
  }

  private static ScriptedReply line(String line) {
    return ScriptedReply.empty()
        .with(
            new ReplyPart.ToolCall("shell", "{\"command\": \"echo %s >> lines\"}".formatted(line)))
        .after(Duration.ofMillis(100));
  }

  private static ObjectNode at(String run) throws Exception {
    return AcceptanceApiClient.JSON
        .createObjectNode()
        .put("checkpoint", stack.boundaryBefore(run, TURN));
  }

  @Test
  void shouldContinueWithAnotherPromptAndModelInASessionOfItsOwn() throws Exception {
    String parent = on.api.start("lines", AcceptanceApiClient.JSON.createObjectNode());
    JsonNode done = on.api.awaitStatus(parent, "completed", END);
    List<JsonNode> parentEvents = on.api.events(parent);
    int before = endpoint.requests().size();

    ObjectNode body = at(parent).put("prompt", MORE).put("model", "claude-opus-4-5");
    String fork = on.api.post("/runs/" + parent + "/fork", body).body().path("id").asText();
    JsonNode end = on.api.awaitStatus(fork, "completed", END);

    assertThat(on.api.events(fork, "agent_session_created"))
        .as("the session is continued")
        .noneMatch(session -> session.hasNonNull("degraded"));
    List<ScriptedRequest> requests =
        endpoint.requests().subList(before, endpoint.requests().size());
    assertThat(requests).as("only what follows the boundary").hasSize(2);
    assertThat(requests)
        .allSatisfy(
            request -> {
              assertThat(request.body().path("model").asText()).isEqualTo("claude-opus-4-5");
              assertThat(request.body().toString()).contains(MORE, "Do it.", "line-3");
            });
    assertThat(end.path("output").asText().strip())
        .isEqualTo("begin\nline-1\nline-2\nline-3\nlast");
    assertThat(end.path("agent").path("session").asText())
        .isNotEmpty()
        .isNotEqualTo(done.path("agent").path("session").asText());
    assertThat(end.path("agent").path("turns").asInt()).isEqualTo(2);
    assertThat(end.path("agent").has("degraded")).isFalse();
    JsonNode session = on.api.events(fork, "agent_session_created").getFirst();
    assertThat(session.path("model").asText()).isEqualTo("claude-opus-4-5");
    assertThat(on.api.events(parent)).as("the parent is untouched").isEqualTo(parentEvents);
  }

  @Test
  void shouldExportTheConversationOfABoundary() throws Exception {
    String run = on.api.start("lines", AcceptanceApiClient.JSON.createObjectNode());
    JsonNode done = on.api.awaitStatus(run, "completed", END);
    Path to = folder.resolve("export");

    BatonCliInvoker.Result result =
        BatonCliInvoker.run(
            on, "checkpoint", "export", stack.boundaryBefore(run, TURN), "--to", to.toString());

    assertThat(result.code()).as("%s", result).isZero();
    JsonNode conversation =
        AcceptanceApiClient.JSON.readTree(to.resolve("conversation.json").toFile());
    assertThat(conversation.path("agent").asText()).isEqualTo("loop");
    assertThat(conversation.path("session_id").asText())
        .isEqualTo(done.path("agent").path("session").asText());
    assertThat(conversation.path("turn_count").asInt()).isEqualTo(TURN - 1);
    assertThat(conversation.path("tool_results")).hasSize(TURN - 1);
    assertThat(conversation.path("pending_tool_calls")).isEmpty();
    assertThat(conversation.path("messages").toString())
        .contains("Do it.", "line-3")
        .doesNotContain("line-4");
    JsonNode manifest = AcceptanceApiClient.JSON.readTree(to.resolve("manifest.json").toFile());
    assertThat(manifest.at("/contributors/conversation/status").asText()).isEqualTo("ok");
    assertThat(manifest.at("/metrics/tools_invoked/0").asText()).isEqualTo("shell");
  }

  @Test
  void shouldRefuseAForkAtTheCopyOfItsParentsTurn() throws Exception {
    String parent = on.api.start("lines", AcceptanceApiClient.JSON.createObjectNode());
    on.api.awaitStatus(parent, "completed", END);
    ObjectNode turn = at(parent);
    String fork = on.api.post("/runs/" + parent + "/fork", turn).body().path("id").asText();
    on.api.awaitStatus(fork, "completed", END);
    String copy = RunId.derived(fork, turn.path("checkpoint").asText());

    for (ObjectNode body :
        List.of(
            AcceptanceApiClient.JSON.createObjectNode().put("checkpoint", copy),
            AcceptanceApiClient.JSON
                .createObjectNode()
                .put("checkpoint", copy)
                .put("prompt", MORE))) {
      var refused = on.api.post("/runs/" + fork + "/fork", body);
      assertThat(refused.status()).as("%s", refused.body()).isEqualTo(409);
      assertThat(refused.body().toString())
          .contains("is a copy of the agent's turn at which run " + fork + " began")
          .contains("checkpoint " + turn.path("checkpoint").asText() + " of run " + parent);
    }
    var files =
        on.api.post(
            "/runs/" + fork + "/fork",
            AcceptanceApiClient.JSON
                .createObjectNode()
                .put("checkpoint", copy)
                .put("files_only", true));
    assertThat(files.status()).as("%s", files.body()).isEqualTo(201);
    on.api.awaitStatus(files.body().path("id").asText(), "completed", END);
  }

  @Test
  void shouldRefuseAnAgentThatCannotKeepTheRulesOfTheStep() throws Exception {
    String parent = on.api.start("guarded", AcceptanceApiClient.JSON.createObjectNode());
    on.api.awaitStatus(parent, "completed", END);

    var refused = on.api.post("/runs/" + parent + "/fork", at(parent).put("use", "codex"));

    assertThat(refused.status()).as("%s", refused.body()).isEqualTo(409);
    assertThat(refused.body().toString())
        .contains(
            "step 'work' has 'interrupted', and the agent 'codex' cannot be kept from running a call again; allowed: claude, opencode, loop, or a definition without this rule");
  }

  @Test
  void shouldNameWhatAForkOfAnAgentCannotChange() throws Exception {
    String parent = on.api.start("lines", AcceptanceApiClient.JSON.createObjectNode());
    on.api.awaitStatus(parent, "completed", END);
    ObjectNode turn = at(parent);
    String path = "/runs/" + parent + "/fork";

    var unknown = on.api.post(path, turn.deepCopy().put("use", "unknown"));
    var afterStep =
        on.api.post(
            path,
            AcceptanceApiClient.JSON.createObjectNode().put("step", "before").put("prompt", MORE));
    var blank = on.api.post(path, turn.deepCopy().put("prompt", " "));

    assertThat(unknown.status()).isEqualTo(400);
    assertThat(unknown.body().toString())
        .contains("'unknown' is not an agent for a fork; allowed: claude, codex, opencode, loop");
    assertThat(afterStep.status()).isEqualTo(400);
    assertThat(afterStep.body().toString()).contains("'prompt' needs the checkpoint of an agent");
    assertThat(blank.status()).isEqualTo(400);
    assertThat(blank.body().toString()).contains("1 to 65536 characters");
  }
}
