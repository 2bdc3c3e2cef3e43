/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.cli.command.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoAgentProgramTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private Path program(String name, String script) throws IOException {
    Path file = folder.resolve(name);
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    return file;
  }

  @Test
  void shouldFindTheProgramOnThePath() throws Exception {
    Path file = program("claude", "echo '2.1.400 (Claude Code)'");

    DemoAgentProgram found =
        DemoAgentProgram.find(DemoAgent.CLAUDE, null, "/nonexistent::" + folder);

    assertThat(found.file()).isEqualTo(file);
    assertThat(found.version()).isEqualTo("2.1.400");
  }

  @Test
  void shouldLinkANamedProgramUnderItsName() throws Exception {
    Path file = program("it's codex", "echo codex-cli 0.169.3");
    Path links = folder.resolve("links");

    String path =
        DemoAgentProgram.find(DemoAgent.CODEX, file.toString(), "/usr/bin")
            .settings(links, "/usr/bin")
            .get("PATH");

    assertThat(path).isEqualTo(links + ":/usr/bin");
    Process process = new ProcessBuilder(links.resolve("codex").toString()).start();
    assertThat(
            new String(
                process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))
        .isEqualTo("codex-cli 0.169.3\n");
  }

  @Test
  void shouldGiveTheProgramAnEmptyHome() throws Exception {
    Path file = program("claude", "echo '2.1.400'; ls -A \"$HOME\"; echo \"$HOME\"");
    Path links = folder.resolve("its links");
    DemoAgentProgram.find(DemoAgent.CLAUDE, file.toString(), "/usr/bin")
        .settings(links, "/usr/bin");

    Process process = new ProcessBuilder(links.resolve("claude").toString()).start();

    assertThat(
            new String(
                process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))
        .isEqualTo("2.1.400\n" + links.resolve("home") + "\n");
  }

  @Test
  void shouldNameWhatToInstall() throws Exception {
    String old = program("old", "echo 1.17.9").toString();
    String odd = program("odd", "echo no number").toString();

    assertThatThrownBy(() -> DemoAgentProgram.find(DemoAgent.CLAUDE, null, "/nonexistent"))
        .isInstanceOf(CliException.class)
        .hasMessage(
            "claude is not in PATH; install it with 'npm install -g @anthropic-ai/claude-code@2.1.332', or name another program with --program FILE");
    assertThatThrownBy(() -> DemoAgentProgram.find(DemoAgent.OPENCODE, old, ""))
        .hasMessageStartingWith(
            old
                + " is version 1.17.9, and the answers of the demo's model are for 1.18; install it with 'npm install -g opencode-ai@1.18.33'");
    assertThatThrownBy(() -> DemoAgentProgram.find(DemoAgent.CODEX, odd, ""))
        .hasMessageStartingWith(odd + " --version printed 'no number', not a version; install it");
    assertThatThrownBy(
            () -> DemoAgentProgram.find(DemoAgent.CODEX, folder.resolve("none").toString(), ""))
        .hasMessageContaining("none is not an executable file; install it with");
  }
}
