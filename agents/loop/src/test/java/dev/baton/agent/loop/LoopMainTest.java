/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.agent.InterruptedCallRules;
import dev.baton.protocol.json.Json;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import java.io.BufferedReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of the loop without its driver. */
class LoopMainTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private Process start() throws Exception {
    return new ProcessBuilder(LoopProgram.command())
        .directory(folder.toFile())
        .redirectError(folder.resolve("errors").toFile())
        .start();
  }

  @Test
  void shouldEndWithItsCommandsWhenTheDriverIsGone() throws Exception {
    ModelScript script =
        ModelScript.sequence(
            ScriptedReply.call("shell", "{\"command\":\"echo $$ > pid; sleep 600\"}"));
    try (ScriptedModelServer server = ScriptedModelServer.start(script)) {
      Process loop = start();
      try (BufferedReader lines = loop.inputReader(StandardCharsets.UTF_8);
          OutputStream input = loop.getOutputStream()) {
        LoopSettings settings =
            new LoopSettings(
                UUID.randomUUID().toString(),
                false,
                "go",
                folder.resolve("home").toString(),
                folder.toString(),
                server.baseUrl(),
                "token",
                "claude-sonnet-4-5",
                "",
                List.of(),
                List.of(),
                List.of(),
                InterruptedCallRules.RERUN,
                "",
                List.of(),
                List.of(),
                128_000,
                0.8);
        input.write(
            (Json.mapper().writeValueAsString(settings) + "\n").getBytes(StandardCharsets.UTF_8));
        input.flush();
        String line = lines.readLine();
        while (line != null && !line.contains("tool_begun")) {
          line = lines.readLine();
        }
        assertThat(line).isNotNull();
        Path pid = folder.resolve("pid");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while ((!Files.exists(pid) || Files.size(pid) == 0) && System.nanoTime() < end) {
          TimeUnit.MILLISECONDS.sleep(10);
        }
        long shell = Long.parseLong(Files.readString(pid).strip());
        assertThat(ProcessHandle.of(shell)).isPresent();

        input.close();

        assertThat(loop.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(loop.exitValue()).isEqualTo(3);
        ProcessHandle.of(shell)
            .ifPresent(left -> left.onExit().completeOnTimeout(left, 10, TimeUnit.SECONDS).join());
        assertThat(ProcessHandle.of(shell).filter(ProcessHandle::isAlive)).isEmpty();
      } finally {
        loop.destroyForcibly();
      }
    }
  }

  @Test
  void shouldSayHowItIsStarted() throws Exception {
    Process loop = start();
    loop.getOutputStream().close();

    assertThat(loop.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(loop.exitValue()).isEqualTo(2);
    assertThat(folder.resolve("errors")).content().contains("started by its driver");
  }
}
