/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.tool;

import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Runs a command in the workspace. Its processes inherit the environment of the loop, and with it
 * the marks by which the runner finds them.
 */
final class ShellTool implements LoopTool {
  private static final int MAX_COMMAND = 100_000;

  /** After the exit of the shell: processes in the background may keep its output open. */
  private static final Duration OUTPUT_WITHIN = Duration.ofMillis(500);

  private static final List<String> SHELLS = List.of("/bin/bash", "/usr/bin/bash", "/bin/sh");

  private final Path workspace;
  private final ToolLimits limits;

  ShellTool(Path workspace, ToolLimits limits) {
    this.workspace = workspace;
    this.limits = limits;
  }

  @Override
  public ToolSpecification specification() {
    return ToolSpecification.builder()
        .name("shell")
        .description(
            "Runs a command with the shell in the workspace, and returns exit code and output."
                + " Standard input is empty. Of a long output the middle is cut. A process in the"
                + " background does not outlive the loss of its machine.")
        .parameters(
            JsonObjectSchema.builder()
                .addStringProperty("command", "the command line")
                .addIntegerProperty(
                    "timeout_seconds",
                    "1 to %d, default %d; then the command is killed"
                        .formatted(limits.maxCommand().toSeconds(), limits.command().toSeconds()))
                .required("command")
                .build())
        .build();
  }

  @Override
  public boolean readOnly() {
    return false;
  }

  @Override
  public ToolOutput run(ToolArguments arguments)
      throws ToolFailureException, IOException, InterruptedException {
    String command = arguments.word("command", MAX_COMMAND);
    if (command.indexOf('\0') >= 0) {
      throw new ToolFailureException("'command' has a NUL character.");
    }
    int seconds =
        arguments.number(
            "timeout_seconds",
            (int) limits.command().toSeconds(),
            1,
            (int) limits.maxCommand().toSeconds());
    String shell =
        SHELLS.stream().filter(it -> Files.isExecutable(Path.of(it))).findFirst().orElse("sh");
    Process process =
        new ProcessBuilder(shell, "-c", command)
            .directory(workspace.toFile())
            .redirectErrorStream(true)
            .redirectInput(new File("/dev/null"))
            .start();
    OutputBuffer output = new OutputBuffer(limits.output());
    CountDownLatch ended = new CountDownLatch(1);
    Thread.ofVirtual()
        .name("tool-output")
        .start(() -> drain(process.getInputStream(), output, ended));
    boolean inTime;
    try {
      inTime = process.waitFor(seconds, TimeUnit.SECONDS);
    } finally {
      if (process.isAlive()) {
        kill(process);
      }
    }
    int exit = process.waitFor();
    ended.await(OUTPUT_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    String said = output.text();
    String head =
        inTime
            ? "exit code " + exit
            : "killed after %d s, the timeout; at most %d s are allowed"
                .formatted(seconds, limits.maxCommand().toSeconds());
    return new ToolOutput(
        said.isEmpty() ? head + ", no output" : head + "\n" + said,
        !inTime || exit != 0,
        List.of(),
        List.of());
  }

  private static void kill(Process process) {
    List<ProcessHandle> children = process.descendants().toList();
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
  }

  /** Reads to the end, also after the call: a process in the background must not block on it. */
  private static void drain(InputStream in, OutputBuffer output, CountDownLatch ended) {
    byte[] part = new byte[65_536];
    try (in) {
      for (int count = in.read(part); count >= 0; count = in.read(part)) {
        output.add(part, count);
      }
    } catch (IOException e) {
      byte[] note =
          ("\n[the output cannot be read: " + e.getMessage() + "]")
              .getBytes(java.nio.charset.StandardCharsets.UTF_8);
      output.add(note, note.length);
    } finally {
      ended.countDown();
    }
  }
}
