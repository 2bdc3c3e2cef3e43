/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.agent.AgentDriver;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentFolders;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentListener;
import dev.baton.agent.AgentProgram;
import dev.baton.agent.AgentProgramException;
import dev.baton.agent.AgentSession;
import dev.baton.agent.AgentStart;
import dev.baton.agent.CheckedProgram;
import dev.baton.agent.StateFiles;
import dev.baton.agent.ToolApproval;
import dev.baton.agent.ToolDecision;
import dev.baton.agent.acp.AcpDriver;
import dev.baton.agent.claude.ClaudeDriver;
import dev.baton.agent.codex.CodexDriver;
import dev.baton.agent.command.CommandDriver;
import dev.baton.agent.opencode.OpenCodeDriver;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Programs, session files and outputs that are not as they should be, for all drivers. */
class BadAgentTest {
  private static final String ID = "0199d4a8-4c8e-7c3b-9b1c-2d6a3c1f0e55";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  static Stream<AgentDriver> drivers() {
    return Stream.of(
        new ClaudeDriver(),
        new CodexDriver(),
        new OpenCodeDriver(),
        new AcpDriver(),
        new CommandDriver());
  }

  /** Drivers with a session of their own, that read the output of the program. */
  static Stream<AgentDriver> readers() {
    return Stream.of(new ClaudeDriver(), new CodexDriver(), new AcpDriver());
  }

  private Path script(String text) throws IOException {
    Path file = folder.resolve("program");
    Files.writeString(file, "#!/bin/sh\n" + text + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return file;
  }

  private static AgentProgram program(Path file, String version) {
    return new AgentProgram(List.of(file.toString()), version, System.getenv("PATH"));
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void shouldNameAMissingProgram(AgentDriver driver) {
    Path missing = folder.resolve("nowhere");

    assertThatThrownBy(() -> driver.check(program(missing, "1.2"), new PlainProcessStarter()))
        .isInstanceOf(AgentProgramException.class)
        .hasMessageContaining("agent '" + driver.use() + "'")
        .hasMessageContaining("program '" + missing + "' does not exist")
        .hasMessageContaining("install");
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void shouldNameBothVersions(AgentDriver driver) throws Exception {
    Path file = script("echo 'agent 2.7.1 (build 9)'");

    assertThatThrownBy(() -> driver.check(program(file, "2.6"), new PlainProcessStarter()))
        .isInstanceOf(AgentProgramException.class)
        .hasMessageContaining(file + " has version 2.7.1, version 2.6 is required");
    assertThat(driver.check(program(file, "2.7"), new PlainProcessStarter()).version())
        .isEqualTo("2.7.1");
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void shouldNameAProgramWithoutVersion(AgentDriver driver) throws Exception {
    Path file = script("printf '\\377\\376 no idea\\n'; exit 4");

    assertThatThrownBy(() -> driver.check(program(file, "2.6"), new PlainProcessStarter()))
        .isInstanceOf(AgentProgramException.class)
        .hasMessageContaining("'" + file + " --version' reports no version; exit code 4");
  }

  /** Only the former can be resumed: the latter would end in the same way. */
  @ParameterizedTest
  @MethodSource("drivers")
  void shouldDistinguishADeathFromAnEndWithoutAResult(AgentDriver driver) throws Exception {
    AgentStart fresh = new AgentStart.Fresh("Do it.");

    AgentEnd died = run(driver, script("kill -9 $$"), fresh, new RecordingListener());
    AgentEnd ended = run(driver, script("exit 3"), fresh, new RecordingListener());

    assertThat(died.kind()).as(died.toString()).isEqualTo(AgentEnd.Kind.DIED);
    assertThat(died.message()).startsWith("killed by signal 9");
    assertThat(ended.kind()).as(ended.toString()).isEqualTo(AgentEnd.Kind.FAILED);
  }

  private AgentEnd run(AgentDriver driver, Path file, AgentStart start, AgentListener listener)
      throws Exception {
    AgentLaunch launch =
        new AgentLaunch(
            "work",
            new CheckedProgram(List.of(file.toString()), "1"),
            new AgentFolders(
                Files.createDirectories(folder.resolve("work")), folder.resolve("home")),
            new AgentLaunch.ModelAccess(URI.create("http://127.0.0.1:9"), "token", "model"),
            start,
            AgentLaunch.AgentTask.PLAIN,
            Map.of("PATH", System.getenv("PATH")));
    AgentSession session = driver.start(launch, new PlainProcessStarter(), listener);
    try {
      return session.end().get(100, TimeUnit.SECONDS);
    } finally {
      session.kill();
    }
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void shouldRefuseASessionWhoseFilesAreGone(AgentDriver driver) throws Exception {
    Path file = script("touch '" + folder.resolve("started") + "'");

    AgentEnd end = run(driver, file, new AgentStart.Resume(ID), new RecordingListener());

    assertThat(end.kind()).isEqualTo(AgentEnd.Kind.SESSION_REFUSED);
    assertThat(end.message()).isNotBlank();
    assertThat(folder.resolve("started")).doesNotExist();
  }

  /** Where each agent keeps the session, with a valid beginning. */
  private Path sessionFile(AgentDriver driver) {
    Path home = folder.resolve("home");
    return switch (driver.use()) {
      case "claude" -> home.resolve("claude/projects/x/" + ID + ".jsonl");
      case "codex" -> home.resolve("codex/sessions/2026/11/26/rollout-2026-11-26-" + ID + ".jsonl");
      case "opencode" -> home.resolve("opencode/data/opencode/opencode.db");
      case "acp" -> home.resolve("acp/claude/projects/x/" + ID + ".jsonl");
      default -> home.resolve("command/session");
    };
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void shouldRefuseASessionOfGarbage(AgentDriver driver) throws Exception {
    Path session = sessionFile(driver);
    Files.createDirectories(session.getParent());
    Files.write(session, new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1, '\n', '{', '\n'});
    Path file = script("touch '" + folder.resolve("started") + "'");

    AgentEnd end = run(driver, file, new AgentStart.Resume(ID), new RecordingListener());

    assertThat(end.kind()).isEqualTo(AgentEnd.Kind.SESSION_REFUSED);
    assertThat(folder.resolve("started")).doesNotExist();
  }

  @ParameterizedTest
  @MethodSource("readers")
  void shouldRefuseATornSession(AgentDriver driver) throws Exception {
    Path session = sessionFile(driver);
    Files.createDirectories(session.getParent());
    Files.writeString(
        session,
        """
        {"type":"user","message":{"role":"user","content":"go"}}
        {"type":"assistant","mess""",
        StandardCharsets.UTF_8);
    Path file = script("touch '" + folder.resolve("started") + "'");

    AgentEnd end = run(driver, file, new AgentStart.Resume(ID), new RecordingListener());

    assertThat(end.kind()).isEqualTo(AgentEnd.Kind.SESSION_REFUSED);
    assertThat(end.message()).contains("torn");
    assertThat(folder.resolve("started")).doesNotExist();
  }

  /** A line of 1 GiB, one that is not UTF-8, and the end within the turn. */
  @ParameterizedTest
  @MethodSource("readers")
  @Timeout(120)
  void shouldBoundOutputAndReplaceInvalidText(AgentDriver driver) throws Exception {
    Path file =
        script(
            "head -c 1073741824 /dev/zero | tr '\\0' 'x'; echo; printf 'bad \\377\\376 text\\n';"
                + " echo 'sorry' >&2; exit 3");
    RecordingListener listener = new RecordingListener();

    AgentEnd end = run(driver, file, new AgentStart.Fresh("go"), listener);

    assertThat(end.kind()).isEqualTo(AgentEnd.Kind.FAILED);
    assertThat(end.exit()).isEqualTo(3);
    assertThat(end.message()).contains("exit code 3").contains("sorry");
    assertThat(listener.of(AgentEvent.UnknownLine.class))
        .extracting(AgentEvent.UnknownLine::kind)
        .containsExactly("too_long", "garbage");
    assertThat(listener.of(AgentEvent.UnknownLine.class).getFirst().line())
        .hasSizeLessThan(AgentEvent.MOST_TEXT);
    assertThat(listener.of(AgentEvent.UnknownLine.class).getLast().line())
        .isEqualTo("bad \ufffd\ufffd text");
  }

  @Test
  @Timeout(120)
  void shouldBoundTheOutputOfACommand() throws Exception {
    Path file =
        script(
            "cat > /dev/null; head -c 1073741824 /dev/zero | tr '\\0' 'x' | fold -w 1000000;"
                + " printf '\\nlast \\377\\n'");
    AgentListener listener =
        new AgentListener() {
          @Override
          public void happened(AgentEvent event) {
            // Keeping all of them would be the fault of this test.
          }

          @Override
          public CompletionStage<ToolDecision> decide(ToolApproval approval) {
            return CompletableFuture.completedFuture(new ToolDecision.Allow());
          }

          @Override
          public CompletionStage<ToolDecision> begin(ToolApproval call) {
            return CompletableFuture.completedFuture(new ToolDecision.Allow());
          }
        };

    AgentEnd end = run(new CommandDriver(), file, new AgentStart.Fresh("go"), listener);

    assertThat(end.kind()).isEqualTo(AgentEnd.Kind.COMPLETED);
    assertThat(end.text()).endsWith("last \ufffd").hasSizeLessThanOrEqualTo(1 << 20);
  }

  @Test
  void shouldNameAMissingModel() throws Exception {
    AgentLaunch launch =
        new AgentLaunch(
            "work",
            new CheckedProgram(List.of("/bin/true"), "1"),
            new AgentFolders(folder, folder.resolve("home")),
            new AgentLaunch.ModelAccess(URI.create("http://127.0.0.1:9"), "token", ""),
            new AgentStart.Fresh("go"),
            AgentLaunch.AgentTask.PLAIN,
            Map.of());

    assertThatThrownBy(
            () ->
                new OpenCodeDriver()
                    .start(launch, new PlainProcessStarter(), new RecordingListener()))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "agent 'opencode' needs a model; name it in 'model' of the step or in"
                + " baton.agent.model");
  }

  @Test
  void shouldCaptureNoCredentials() {
    StateFiles openCode = new OpenCodeDriver().stateFiles();
    StateFiles acp = new AcpDriver().stateFiles();

    assertThat(
            List.of(
                "opencode/data/opencode/opencode.db",
                "opencode/data/opencode/opencode.db-wal",
                "opencode/boundary.json"))
        .allMatch(file -> openCode.contains(Path.of(file)));
    assertThat(
            List.of(
                "opencode/data/opencode/auth.json",
                "opencode/data/opencode/log/a.log",
                "opencode/opencode.json",
                "opencode/cache/opencode/models.json"))
        .noneMatch(file -> openCode.contains(Path.of(file)));
    assertThat(
            List.of(
                "acp/claude/projects/x/1.jsonl",
                "acp/data/opencode/opencode.db",
                "acp/agent/chats/1.json"))
        .allMatch(file -> acp.contains(Path.of(file)));
    assertThat(
            List.of(
                "acp/claude/.credentials.json",
                "acp/claude/sessions/7.key",
                "acp/claude/shell-snapshots/snapshot.sh",
                "acp/codex/auth.json",
                "acp/data/opencode/auth.json",
                "acp/agent/oauth_creds.json",
                "acp/agent/logs/a.txt",
                "acp/config/settings.json"))
        .noneMatch(file -> acp.contains(Path.of(file)));
  }
}
