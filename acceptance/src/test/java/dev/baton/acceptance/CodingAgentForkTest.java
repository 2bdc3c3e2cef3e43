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
import dev.baton.agent.testkit.ClaudeScript;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import dev.baton.scripted.ScriptedRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Forks of the real coding agents at a turn, with another prompt: each continues the conversation
 * of its parent in a session of its own. Skipped where they are not installed and npm is not there
 * to install them.
 */
@UsesScriptedModels
class CodingAgentForkTest {
  private static final int TOOLS = 5;

  /** The boundary before answer 4: three lines are written. */
  private static final int TURN = 4;

  private static final String MORE = "Write no more lines than you have to.";
  private static final Duration END = Duration.ofSeconds(240);

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelStack stack;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  /** An agent, its endpoint and the call of its shell. */
  private enum Agent {
    CLAUDE(
        "use: claude, model: claude-sonnet-4-5",
        ScriptedModelStack.Form.MESSAGES,
        "Bash",
        "{\"command\":\"%s\",\"description\":\"write\"}"),
    CODEX(
        "use: codex, model: gpt-5",
        ScriptedModelStack.Form.RESPONSES,
        "exec_command",
        "{\"cmd\":\"%s\",\"login\":false}"),
    OPENCODE(
        "use: opencode, model: gpt-5",
        ScriptedModelStack.Form.CHAT,
        "bash",
        "{\"command\":\"%s\",\"description\":\"write\"}");

    private final String keys;
    private final ScriptedModelStack.Form form;
    private final String tool;
    private final String input;

    Agent(String keys, ScriptedModelStack.Form form, String tool, String input) {
      this.keys = keys;
      this.form = form;
      this.tool = tool;
      this.input = input;
    }

    private String workflow() {
      return """
          name: %s
          steps:
            - {id: before, shell: 'echo begin > lines'}
            - id: work
              agent: {%s, prompt: 'Do it.'}
            - {id: after, shell: 'cat lines'}
          """
          .formatted(fork(), keys);
    }

    private String fork() {
      return "fork-" + name().toLowerCase(Locale.ROOT);
    }

    private ScriptedReply line(String line) {
      return ScriptedReply.empty()
          .with(new ReplyPart.ToolCall(tool, input.formatted("echo " + line + " >> lines")));
    }

    /** A conversation with the other prompt ends after one more line. */
    private ModelScript script() {
      ModelScript plain =
          ModelScript.byTurn(
              Stream.concat(
                      Stream.iterate(1, i -> i + 1).limit(TOOLS).map(i -> line("line-" + i)),
                      Stream.of(ScriptedReply.text("All lines are written.")))
                  .toList());
      return request -> {
        String body = request.body().toString();
        if (!body.contains(MORE)) {
          return plain.reply(request);
        }
        return body.contains("echo last >> lines")
            ? ScriptedReply.text("One more line is written.")
            : line("last");
      };
    }

    private ScriptedModelServer endpoint() {
      return stack.model(form);
    }

    /** The requests of the work that the endpoint has received. */
    private List<ScriptedRequest> requests() {
      return endpoint().requests().stream().filter(ClaudeScript::isOfTheWork).toList();
    }
  }

  @BeforeAll
  static void start() throws Exception {
    stack =
        ScriptedModelStack.withAgents(
            Map.of(
                Agent.CLAUDE.form, Agent.CLAUDE.script(),
                Agent.CODEX.form, Agent.CODEX.script(),
                Agent.OPENCODE.form, Agent.OPENCODE.script()));
    on = stack.on;
    for (Agent agent : Agent.values()) {
      on.api.push(agent.workflow());
    }
  }

  @AfterAll
  static void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
  }

  @Test
  void shouldContinueClaudeCode() throws Exception {
    continueInAFork(Agent.CLAUDE);
  }

  @ParameterizedTest
  @EnumSource(
      value = Agent.class,
      names = {"CODEX", "OPENCODE"})
  @Tag("full")
  void shouldContinueTheOthers(Agent agent) throws Exception {
    continueInAFork(agent);
  }

  private static void continueInAFork(Agent agent) throws Exception {
    String parent = on.api.start(agent.fork(), AcceptanceApiClient.JSON.createObjectNode());
    JsonNode done = stack.completed(parent, END);
    List<JsonNode> parentEvents = on.api.events(parent);
    int before = agent.requests().size();

    ObjectNode body =
        AcceptanceApiClient.JSON
            .createObjectNode()
            .put("checkpoint", stack.boundaryBefore(parent, TURN))
            .put("prompt", MORE);
    AcceptanceApiClient.Answer forked = on.api.post("/runs/" + parent + "/fork", body);
    assertThat(forked.status()).as("%s", forked).isLessThan(300);
    String fork = forked.body().path("id").asText();
    JsonNode end = stack.completed(fork, END);

    assertThat(on.api.events(fork, "agent_session_created"))
        .as("the session is continued")
        .noneMatch(session -> session.hasNonNull("degraded"));
    List<ScriptedRequest> requests = agent.requests().subList(before, agent.requests().size());
    assertThat(requests).as("only what follows the boundary").hasSize(2);
    assertThat(requests)
        .allSatisfy(
            request -> assertThat(request.body().toString()).contains(MORE, "Do it.", "line-3"));
    assertThat(end.path("output").asText().strip())
        .isEqualTo("begin\nline-1\nline-2\nline-3\nlast");
    assertThat(end.path("agent").path("session").asText())
        .isNotEmpty()
        .isNotEqualTo(done.path("agent").path("session").asText());
    assertThat(end.path("agent").path("turns").asInt()).isEqualTo(2);
    assertThat(on.api.events(parent)).as("the parent is untouched").isEqualTo(parentEvents);
  }
}
