/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.acceptance.ScriptedModelStack.Form;
import dev.baton.agent.testkit.ClaudeScript;
import dev.baton.protocol.json.Json;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import dev.baton.scripted.ScriptedRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Real coding agents whose session files are damaged before a boundary, and whose runner then dies:
 * the step continues in a new session. Skipped where they are not installed and npm is not there to
 * install them.
 */
@UsesScriptedModels
class DamagedSessionTest {
  private static final Duration END = Duration.ofSeconds(240);

  /** In the prompt of a session that replaces a lost one. */
  private static final String LOST = "An earlier session on this task was lost";

  /** The request whose answer is under way when the runner dies: its boundary has the damage. */
  private static final int KILL_AT = 3;

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelStack stack;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  /** A damage, as a command of the agent's shell. */
  private enum Damage {
    CLAUDE_GARBAGE(
        "claude",
        Form.MESSAGES,
        "for f in $CLAUDE_CONFIG_DIR/projects/*/*.jsonl; do echo '{garbage' >> $f; done"),
    CLAUDE_OTHER_VERSION(
        "claude",
        Form.MESSAGES,
        "sed -i 's/\"type\":\"user\"/\"type\":\"human\"/; s/\"type\":\"assistant\"/\"type\":\"model\"/'"
            + " $CLAUDE_CONFIG_DIR/projects/*/*.jsonl"),
    CLAUDE_DELETED("claude", Form.MESSAGES, "rm $CLAUDE_CONFIG_DIR/projects/*/*.jsonl"),
    CODEX_GARBAGE(
        "codex",
        Form.RESPONSES,
        "for f in $CODEX_HOME/sessions/*/*/*/*.jsonl; do echo '{garbage' >> $f; done"),
    CODEX_OTHER_VERSION(
        "codex",
        Form.RESPONSES,
        // Codex holds the file open: it stays the same one.
        "for f in $CODEX_HOME/sessions/*/*/*/*.jsonl; do"
            + " sed 's/\"type\":\"response_item\"/\"type\":\"item\"/' $f > $f.new;"
            + " cat $f.new > $f; rm $f.new; done"),
    OPENCODE_WITHOUT_WAL("opencode", Form.CHAT, "rm $XDG_DATA_HOME/opencode/opencode.db-wal"),
    ACP_GARBAGE(
        "acp",
        Form.MESSAGES,
        "for f in $CLAUDE_CONFIG_DIR/projects/*/*.jsonl; do echo '{garbage' >> $f; done");

    private final String agent;
    private final Form form;
    private final String command;

    Damage(String agent, Form form, String command) {
      this.agent = agent;
      this.form = form;
      this.command = command;
    }

    private String workflow() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private String definition() {
      return """
      name: %s
      steps:
        - id: work
          agent:
            use: %s
            %smodel: %s
            prompt: suffer %s
        - {id: after, shell: 'xargs echo < out.txt'}
      """
          .formatted(
              workflow(),
              agent,
              agent.equals("acp") ? "command: [claude-agent-acp]\n      " : "",
              form == Form.MESSAGES ? "claude-sonnet-4-5" : "gpt-5",
              workflow());
    }

    private ReplyPart shell(String command) {
      return switch (form) {
        case MESSAGES -> call("Bash", Map.of("command", command, "description", "works"));
        case RESPONSES -> call("exec_command", Map.of("cmd", command, "login", false));
        case CHAT -> call("bash", Map.of("command", command, "description", "works"));
      };
    }

    private ReplyPart call(String tool, Map<String, Object> input) {
      return new ReplyPart.ToolCall(tool, Json.mapper().valueToTree(input).toString());
    }

    private ScriptedReply answer(String command) {
      return ScriptedReply.text("next").with(shell(command));
    }

    private List<ScriptedReply> answers(ScriptedRequest request) {
      return request.body().toString().contains(LOST)
          ? List.of(answer("echo c >> out.txt"), ScriptedReply.text("all done"))
          : List.of(
              answer("echo a >> out.txt"),
              answer(command),
              answer("echo b >> out.txt").after(Duration.ofSeconds(60)));
    }

    private long requests() {
      return stack.model(form).requests().stream().filter(this::isOwn).count();
    }

    private boolean isOwn(ScriptedRequest request) {
      return ClaudeScript.isOfTheWork(request)
          && request.body().toString().contains("suffer " + workflow());
    }
  }

  private static ScriptedReply reply(ScriptedRequest request) {
    for (Damage damage : Damage.values()) {
      if (damage.isOwn(request)) {
        List<ScriptedReply> answers = damage.answers(request);
        return answers.get(Math.min(request.turn(), answers.size() - 1));
      }
    }
    return ScriptedReply.text("{\"title\": \"A title\"}");
  }

  @BeforeAll
  static void start() throws Exception {
    stack =
        ScriptedModelStack.withAgents(
            Map.of(
                Form.MESSAGES, DamagedSessionTest::reply,
                Form.RESPONSES, DamagedSessionTest::reply,
                Form.CHAT, DamagedSessionTest::reply));
    on = stack.on;
    for (Damage damage : Damage.values()) {
      on.api.push(damage.definition());
    }
  }

  @AfterAll
  static void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
  }

  @ParameterizedTest
  @EnumSource(value = Damage.class, names = "CLAUDE_GARBAGE")
  void shouldContinueInANewSession(Damage damage) throws Exception {
    check(damage);
  }

  @Tag("full")
  @ParameterizedTest
  @EnumSource(value = Damage.class, names = "CLAUDE_GARBAGE", mode = EnumSource.Mode.EXCLUDE)
  void shouldContinueInANewSessionAfterOtherDamages(Damage damage) throws Exception {
    check(damage);
  }

  private void check(Damage damage) throws Exception {
    String run = on.api.start(damage.workflow(), AcceptanceApiClient.JSON.createObjectNode());
    Await.until("the damage is done", END, () -> damage.requests() >= KILL_AT);
    Await.until(
        "its boundary is captured",
        END,
        () ->
            on.api.events(run, "checkpoint_saved").stream()
                    .filter(saved -> saved.path("trigger").asText().equals("turn"))
                    .count()
                >= KILL_AT);
    assertThat(RunnerProcessHandle.of(run).orElseThrow().kill(true)).isTrue();

    JsonNode end = stack.completed(run, END);

    assertThat(end.path("output").asText().strip()).as(() -> stack.history(run)).isEqualTo("a c");
    List<JsonNode> sessions = on.api.events(run, "agent_session_created");
    assertThat(sessions).as(() -> stack.history(run)).hasSizeGreaterThanOrEqualTo(2);
    assertThat(sessions.getLast().path("degraded").asText()).isNotBlank();
    assertThat(sessions.getLast().path("session").asText())
        .isNotEqualTo(sessions.getFirst().path("session").asText());
    assertThat(end.path("agent").path("degraded").asText()).isNotBlank();
  }
}
