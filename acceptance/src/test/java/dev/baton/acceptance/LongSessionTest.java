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
import dev.baton.acceptance.ScriptedModelStack.Form;
import dev.baton.agent.testkit.McpTestServerMain;
import dev.baton.protocol.json.Json;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The real coding agents in a session of thirty tool calls of every kind, undisturbed and killed
 * together with their runners. Skipped where they are not installed and npm is not there to install
 * them.
 */
@Tag("full")
@UsesScriptedModels
class LongSessionTest {
  private static final int KILLS = Integer.getInteger("baton.session.kills", 20);
  private static final Duration END = Duration.ofSeconds(300);

  /** A PNG of one pixel. */
  private static final String PIXEL =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

  /** The lines of the files that the session leaves, sorted. */
  private static final String EXPECTED = "+1 +2 a b c d e earth f g h i j k l m n o p q r s x y";

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelStack stack;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  private enum Agent {
    CLAUDE(Form.MESSAGES, "claude-sonnet-4-5", new ClaudeTools()),
    CODEX(Form.RESPONSES, "gpt-5", new CodexTools()),
    OPENCODE(Form.CHAT, "gpt-5", new OpenCodeTools()),
    ACP(Form.MESSAGES, "claude-sonnet-4-5", new ClaudeTools());

    private final Form form;
    private final String model;
    private final LongSessionScript script;

    Agent(Form form, String model, LongSessionScript.SessionTools tools) {
      this.form = form;
      this.model = model;
      this.script = new LongSessionScript(tools);
    }

    private Stream<ScriptedRequest> requests() {
      return stack.model(form).requests().stream().filter(LongSessionScript::isOfTheWork);
    }

    private int calls() {
      return (int) requests().count();
    }

    private String workflow() throws Exception {
      return """
      name: long-%s
      mcp:
        count: {command: %s, env: {LEDGER: '{workspace}/ledger'}}
      steps:
        - {id: image, shell: 'echo %s | base64 -d > pixel.png'}
        - id: work
          agent:
            use: %s
            %smodel: %s
            prompt: %s
        - {id: after, shell: 'sort out.txt notes.txt ledger | xargs echo'}
      """
          .formatted(
              name().toLowerCase(Locale.ROOT),
              McpTestServerMain.command("checkpoint").stream()
                  .map(word -> "'" + word + "'")
                  .collect(Collectors.joining(", ", "[", "]")),
              PIXEL,
              name().toLowerCase(Locale.ROOT),
              this == ACP ? "command: [claude-agent-acp]\n      " : "",
              model,
              LongSessionScript.PROMPT);
    }
  }

  private static ReplyPart call(String name, Map<String, Object> input) {
    return new ReplyPart.ToolCall(name, Json.mapper().<ObjectNode>valueToTree(input).toString());
  }

  private static String append(String line) {
    return "sleep 0.1; echo %s >> out.txt".formatted(line);
  }

  private static final class ClaudeTools implements LongSessionScript.SessionTools {
    @Override
    public ReplyPart command(String line) {
      return call("Bash", Map.of("command", append(line), "description", "Writes " + line));
    }

    @Override
    public ReplyPart create() {
      return call("Write", Map.of("file_path", "notes.txt", "content", "hello\n"));
    }

    @Override
    public ReplyPart replace(String old, String by) {
      return call("Edit", Map.of("file_path", "notes.txt", "old_string", old, "new_string", by));
    }

    @Override
    public ReplyPart plan() {
      return call("TaskCreate", Map.of("subject", "fix it", "description", "fix the bug"));
    }

    @Override
    public ReplyPart image() {
      return call("Read", Map.of("file_path", "pixel.png"));
    }

    @Override
    public ReplyPart add(int n) {
      return call("mcp__count__add", Map.of("n", n));
    }

    @Override
    public ReplyPart errand(String prompt) {
      return call(
          "Agent",
          Map.of("description", "errand", "prompt", prompt, "subagent_type", "general-purpose"));
    }
  }

  private static final class CodexTools implements LongSessionScript.SessionTools {
    private static final Pattern SPAWNED = Pattern.compile("\"agent_id\":\\s*\"([^\"]+)\"");

    private static ReplyPart shell(String command) {
      return call("exec_command", Map.of("cmd", command, "login", false));
    }

    @Override
    public ReplyPart command(String line) {
      return shell(append(line));
    }

    @Override
    public ReplyPart create() {
      return shell("echo hello > notes.txt");
    }

    @Override
    public ReplyPart replace(String old, String by) {
      return shell("sleep 0.1; sed -i s/%s/%s/ notes.txt".formatted(old, by));
    }

    /** Codex offers no plan to a model that it does not know. */
    @Override
    public ReplyPart plan() {
      return shell("true");
    }

    @Override
    public ReplyPart image() {
      return call("view_image", Map.of("path", "pixel.png"));
    }

    @Override
    public ReplyPart add(int n) {
      return call("mcp__count__add", Map.of("n", n));
    }

    @Override
    public ReplyPart errand(String prompt) {
      return call("multi_agent_v1__spawn_agent", Map.of("message", prompt));
    }

    @Override
    public Optional<ReplyPart> awaitErrand(ScriptedRequest request) {
      for (JsonNode item : request.body().path("input")) {
        Matcher id = SPAWNED.matcher(item.path("output").asText());
        if (id.find()) {
          return Optional.of(
              call(
                  "multi_agent_v1__wait_agent",
                  Map.of("targets", List.of(id.group(1)), "timeout_ms", 60_000)));
        }
      }
      return Optional.of(shell("echo the sub-agent has no id; exit 1"));
    }
  }

  private static final class OpenCodeTools implements LongSessionScript.SessionTools {
    private static ReplyPart patch(String text) {
      return call("apply_patch", Map.of("patchText", text));
    }

    @Override
    public ReplyPart command(String line) {
      return call("bash", Map.of("command", append(line), "description", "Writes " + line));
    }

    @Override
    public ReplyPart create() {
      return patch("*** Begin Patch\n*** Add File: notes.txt\n+hello\n*** End Patch");
    }

    @Override
    public ReplyPart replace(String old, String by) {
      return patch(
          "*** Begin Patch\n*** Update File: notes.txt\n@@\n-%s\n+%s\n*** End Patch"
              .formatted(old, by));
    }

    @Override
    public ReplyPart plan() {
      return call(
          "todowrite",
          Map.of(
              "todos",
              List.of(Map.of("content", "fix it", "status", "in_progress", "priority", "high"))));
    }

    @Override
    public ReplyPart image() {
      return call("read", Map.of("filePath", "pixel.png"));
    }

    @Override
    public ReplyPart add(int n) {
      return call("count_add", Map.of("n", n));
    }

    @Override
    public ReplyPart errand(String prompt) {
      return call(
          "task", Map.of("description", "errand", "prompt", prompt, "subagent_type", "general"));
    }
  }

  @BeforeAll
  static void start() throws Exception {
    stack =
        ScriptedModelStack.withAgents(
            Map.of(
                Form.MESSAGES, Agent.CLAUDE.script::reply,
                Form.RESPONSES, Agent.CODEX.script::reply,
                Form.CHAT, Agent.OPENCODE.script::reply));
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

  @ParameterizedTest
  @EnumSource(Agent.class)
  void shouldDoAndPayEverythingOnceOverKills(Agent agent) throws Exception {
    String workflow = "long-" + agent.name().toLowerCase(Locale.ROOT);
    int before = agent.calls();
    String calm = on.api.start(workflow, AcceptanceApiClient.JSON.createObjectNode());
    JsonNode undisturbed = stack.completed(calm, END);
    int calls = agent.calls() - before;
    assertThat(undisturbed.path("output").asText().strip())
        .as(() -> stack.history(calm))
        .isEqualTo(EXPECTED);
    // The adapter of ACP reports the plan, and not the call that has changed it.
    assertThat(tools(calm))
        .as("tool calls")
        .hasSizeGreaterThanOrEqualTo(LongSessionScript.CALLS - (agent == Agent.ACP ? 1 : 0));
    assertThat(agent.requests().toList().getLast().body().toString())
        .as("the image of a result")
        .contains(PIXEL.substring(0, PIXEL.length() / 2));

    Random random = SeededRandomFactory.random(agent + " and its runner die " + KILLS + " times");
    int start = before + calls;
    String run = on.api.start(workflow, AcceptanceApiClient.JSON.createObjectNode());
    // Before its first boundary an agent has no session to continue.
    int killed =
        new AgentRunnerKiller(
                random, KILLS, kill -> start + 2 + (calls - 3) * (kill - 1) / KILLS, agent::calls)
            .kill(run)
            .killed();
    JsonNode end = stack.completed(run, END);
    int again = agent.calls() - start;

    System.out.printf(
        "  %s: %d kills, %d calls, %d undisturbed, %d tool calls%n",
        agent, killed, again, calls, tools(run).size());
    assertThat(end.path("output").asText().strip())
        .as(() -> stack.history(run))
        .isEqualTo(EXPECTED);
    assertThat(again).isBetween(calls, calls + killed);
    assertThat(on.api.events(run, "model_answered"))
        .filteredOn(answer -> agent != Agent.ACP || !answer.path("tools").isEmpty())
        .as(() -> stack.history(run))
        .noneMatch(answer -> answer.path("diverged").asBoolean());
    List<JsonNode> sessions = on.api.events(run, "agent_session_created");
    assertThat(sessions).noneMatch(session -> session.hasNonNull("degraded"));
    assertThat(
            sessions.stream()
                .filter(session -> session.hasNonNull("resumed_from"))
                .map(session -> session.path("session").asText())
                .distinct())
        .as("the same session throughout")
        .hasSizeLessThanOrEqualTo(1);
  }

  private static List<JsonNode> tools(String run) throws Exception {
    return on.api.events(run, "tool_invoked");
  }
}
