/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.agent;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs the agent of the benchmark without Baton, in a folder of its own. Not thread-safe.
 *
 * @param command program and arguments
 * @param endpoint of the model
 * @param folder holds its workspace and its home
 */
record AgentProcessRunner(List<String> command, URI endpoint, Path folder) {
  private static final Duration END = Duration.ofMinutes(20);

  AgentProcessRunner {
    command = List.copyOf(command);
  }

  Path workspace() {
    return folder.resolve("workspace");
  }

  Path home() {
    return folder.resolve("home");
  }

  /** The conversation, written by {@link AppendingAgentMain}. */
  Path transcript() {
    return home().resolve(AppendingAgentMain.TRANSCRIPT);
  }

  /** Creates the folders, and the files by a shell script. */
  void prepare(String script) throws IOException, InterruptedException {
    Files.createDirectories(workspace());
    Files.createDirectories(home());
    end(start(List.of("/bin/sh", "-e", "-c", script)));
  }

  /** Starts the agent, which continues the conversation in its home. */
  Process start() throws IOException {
    return start(command);
  }

  private Process start(List<String> line) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .directory(workspace().toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("agent.log").toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "ANTHROPIC_BASE_URL",
                endpoint.toString(),
                "ANTHROPIC_API_KEY",
                "none",
                "BATON_MODEL",
                AgentBenchmark.MODEL,
                "BATON_AGENT_HOME",
                home().toString()));
    return builder.start();
  }

  /**
   * Waits for the end of a process.
   *
   * @throws IOException when it fails or takes more than 20 minutes; then it is killed
   */
  void end(Process process) throws IOException, InterruptedException {
    try {
      if (!process.waitFor(END.toSeconds(), TimeUnit.SECONDS)) {
        throw new IOException("the agent alone takes more than " + END.toMinutes() + " min");
      }
      if (process.exitValue() != 0) {
        throw new IOException(
            "the agent alone ended with "
                + process.exitValue()
                + ": "
                + Files.readString(folder.resolve("agent.log")));
      }
    } finally {
      process.destroyForcibly();
    }
  }
}
