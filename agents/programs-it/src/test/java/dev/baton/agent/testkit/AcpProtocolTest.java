/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentFolders;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentSession;
import dev.baton.agent.AgentStart;
import dev.baton.agent.CheckedProgram;
import dev.baton.agent.ToolApproval;
import dev.baton.agent.ToolDecision;
import dev.baton.agent.ToolRules;
import dev.baton.agent.acp.AcpDriver;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Agents that speak ACP otherwise than the tested one: a shell script answers each line that it
 * reads with the next text, and keeps what it has read.
 */
@Timeout(60)
class AcpProtocolTest {
  private static final String ID = "s-1";
  private static final String INITIALIZED =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":1,\"agentInfo\":{\"name\":\"odd\","
          + "\"version\":\"3\"},\"agentCapabilities\":{%s}}}";
  private static final String NEW =
      "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"sessionId\":\"s-1\"}}";
  private static final String OPENED = "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}";
  private static final String DONE =
      "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"stopReason\":\"end_turn\"}}";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private static String update(String update) {
    return "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s-1\","
        + "\"update\":"
        + update
        + "}}";
  }

  private static String text(String text) {
    return update(
        "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\""
            + text
            + "\"}}");
  }

  private AgentEnd run(
      AgentStart start, AgentLaunch.AgentTask task, RecordingListener listener, String... answers)
      throws Exception {
    StringBuilder script = new StringBuilder("#!/bin/sh\n");
    for (int i = 0; i < answers.length; i++) {
      Path answer = Files.writeString(folder.resolve("answer-" + i), answers[i] + "\n");
      script
          .append("IFS= read -r line; printf '%s\\n' \"$line\" >> ")
          .append(folder.resolve("read"))
          .append("; cat ")
          .append(answer)
          .append('\n');
    }
    script.append("cat > /dev/null\n");
    Path program = Files.writeString(folder.resolve("agent"), script);
    assertThat(program.toFile().setExecutable(true)).isTrue();
    AgentLaunch launch =
        new AgentLaunch(
            "work",
            new CheckedProgram(List.of(program.toString()), ""),
            new AgentFolders(
                Files.createDirectories(folder.resolve("work")), folder.resolve("home")),
            new AgentLaunch.ModelAccess(URI.create("http://127.0.0.1:9"), "token", "model"),
            start,
            task,
            Map.of("PATH", System.getenv("PATH")));
    AgentSession session = new AcpDriver().start(launch, new PlainProcessStarter(), listener);
    try {
      return session.end().get(50, TimeUnit.SECONDS);
    } finally {
      session.kill();
    }
  }

  private AgentEnd fresh(RecordingListener listener, String... answers) throws Exception {
    return run(new AgentStart.Fresh("go"), AgentLaunch.AgentTask.PLAIN, listener, answers);
  }

  private AgentEnd resumed(RecordingListener listener, String... answers) throws Exception {
    Files.writeString(
        Files.createDirectories(folder.resolve("home/acp/agent")).resolve("chat.json"), "{}");
    return run(new AgentStart.Resume(ID), AgentLaunch.AgentTask.PLAIN, listener, answers);
  }

  private List<String> read() throws IOException {
    return Files.readAllLines(folder.resolve("read"));
  }

  @Test
  void shouldTakeTheLastTextOfAnAgentWithoutExtras() throws Exception {
    RecordingListener listener = new RecordingListener();

    AgentEnd end =
        fresh(
            listener,
            INITIALIZED.formatted(""),
            NEW,
            text("I ")
                + "\n"
                + text("look.")
                + "\n"
                + update(
                    "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c1\",\"title\":\"Run it\","
                        + "\"kind\":\"execute\",\"status\":\"pending\",\"rawInput\":{\"command\":\"make\"}}")
                + "\n"
                + update(
                    "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c1\",\"status\":\"completed\"}")
                + "\n"
                + text("done")
                + "\n"
                + DONE);

    assertThat(end).isEqualTo(new AgentEnd(AgentEnd.Kind.COMPLETED, "done", 0, ""));
    assertThat(RecordedLines.texts(listener.events()))
        .endsWith(
            "text 'I look.' parent=",
            "begun c1 execute parent=",
            "ended c1 execute OK [] 0",
            "text 'done' parent=");
    assertThat(read().getFirst()).contains("\"readTextFile\":false", "\"terminal\":false");
  }

  @Test
  void shouldLoadASessionAndLeaveItsHistoryOut() throws Exception {
    RecordingListener listener = new RecordingListener();

    AgentEnd end =
        resumed(
            listener,
            INITIALIZED.formatted("\"loadSession\":true"),
            text("of old") + "\n" + OPENED,
            text("new") + "\n" + DONE);

    assertThat(end.text()).isEqualTo("new");
    assertThat(listener.of(AgentEvent.AssistantText.class)).hasSize(1);
    assertThat(listener.of(AgentEvent.SessionStarted.class).getFirst().sessionId()).isEqualTo(ID);
    assertThat(read().get(1)).contains("\"session/load\"", "\"sessionId\":\"s-1\"");
    assertThat(read().get(2)).contains("\"text\":\"Continue.\"");
  }

  @Test
  void shouldPreferToResume() throws Exception {
    resumed(
        new RecordingListener(),
        INITIALIZED.formatted("\"loadSession\":true,\"sessionCapabilities\":{\"resume\":{}}"),
        OPENED,
        DONE);

    assertThat(read().get(1)).contains("\"session/resume\"");
  }

  @Test
  void shouldRefuseASessionThatTheAgentCannotOpen() throws Exception {
    AgentEnd without = resumed(new RecordingListener(), INITIALIZED.formatted(""));
    AgentEnd unknown =
        resumed(
            new RecordingListener(),
            INITIALIZED.formatted("\"loadSession\":true"),
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32002,\"message\":\"not found\"}}");
    AgentEnd other =
        resumed(
            new RecordingListener(),
            INITIALIZED.formatted("\"loadSession\":true"),
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"sessionId\":\"s-2\"}}");

    assertThat(List.of(without, unknown, other))
        .allMatch(end -> end.kind() == AgentEnd.Kind.SESSION_REFUSED);
    assertThat(without.message())
        .isEqualTo("session s-1 cannot be resumed: agent odd can neither resume nor load sessions");
    assertThat(unknown.message()).endsWith("session/load: not found");
    assertThat(other.message()).endsWith("the agent took session s-2");
  }

  @Test
  void shouldRefuseFilesAndDecidePermissions() throws Exception {
    ToolRules rules = new ToolRules(List.of(), List.of("write"), List.of("execute(rm *)"));
    RecordingListener listener =
        new RecordingListener(
            approval -> CompletableFuture.completedFuture(new ToolDecision.Allow()));
    String options =
        "\"options\":[{\"optionId\":\"always\",\"kind\":\"allow_always\"},{\"optionId\":\"once\","
            + "\"kind\":\"allow_once\"},{\"optionId\":\"no\",\"kind\":\"reject_once\"}]";
    String permission =
        "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"session/request_permission\",\"params\":{\"sessionId\":"
            + "\"s-1\",\"toolCall\":{\"toolCallId\":\"c%d\",\"kind\":\"%s\",\"title\":\"A call\","
            + "\"rawInput\":{%s}},"
            + options
            + "}}";

    AgentEnd end =
        run(
            new AgentStart.Fresh("go"),
            new AgentLaunch.AgentTask("be brief", rules, List.of(), List.of(), ""),
            listener,
            INITIALIZED.formatted(""),
            NEW,
            "{\"jsonrpc\":\"2.0\",\"id\":\"f\",\"method\":\"fs/read_text_file\",\"params\":{\"path\":"
                + "\"/etc/passwd\"}}",
            permission.formatted(7, 1, "execute", "\"command\":\"rm -rf x\""),
            permission.formatted(8, 2, "write", "\"path\":\"a.txt\""),
            permission.formatted(9, 3, "fetch", "\"url\":\"http://x/\""),
            update(
                    "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c1\",\"status\":\"failed\"}")
                + "\n"
                + DONE);

    assertThat(end.kind()).isEqualTo(AgentEnd.Kind.COMPLETED);
    assertThat(read().get(2)).contains("be brief\\n\\ngo");
    assertThat(read().get(3)).contains("\"id\":\"f\"", "-32601", "fs/read_text_file");
    assertThat(read().get(4)).contains("\"id\":7", "\"optionId\":\"no\"");
    assertThat(read().get(5)).contains("\"id\":8", "\"optionId\":\"once\"");
    assertThat(read().get(6)).contains("\"id\":9", "\"optionId\":\"once\"");
    assertThat(listener.approvals()).extracting(ToolApproval::callId).containsExactly("c2");
    assertThat(listener.of(AgentEvent.ToolEnded.class))
        .extracting(AgentEvent.ToolEnded::outcome)
        .containsExactly(AgentEvent.ToolOutcome.DENIED);
  }

  @Test
  void shouldNameAnotherVersionOfTheProtocol() throws Exception {
    AgentEnd end =
        fresh(
            new RecordingListener(),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":2}}");

    assertThat(end.kind()).isEqualTo(AgentEnd.Kind.FAILED);
    assertThat(end.message()).isEqualTo("the agent speaks version 2 of ACP, version 1 is required");
  }

  @Test
  void shouldNameWhyATurnStopped() throws Exception {
    AgentEnd refusal =
        fresh(
            new RecordingListener(),
            INITIALIZED.formatted(""),
            NEW,
            "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"stopReason\":\"refusal\"}}");
    AgentEnd budget =
        fresh(
            new RecordingListener(),
            INITIALIZED.formatted(""),
            NEW,
            "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32603,\"message\":\"Internal error\","
                + "\"data\":{\"details\":\"API Error: 402 budget\"}}}");

    assertThat(refusal.message()).isEqualTo("the agent stopped its turn: refusal");
    assertThat(budget.kind()).isEqualTo(AgentEnd.Kind.BUDGET);
  }
}
