/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import dev.baton.runner.sandbox.StepSandbox;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Starts commands in their own session if util-linux is installed. */
final class SessionProcessStarter {
  private static final Optional<String> SETSID = UtilLinuxFinder.path("setsid");

  private static final File NOTHING = new File("/dev/null");

  private SessionProcessStarter() {}

  /**
   * Starts a command with an empty standard input; the caller must read its output.
   *
   * @param directory a workspace
   * @param environment all of its variables
   * @param fixed where the process sees the workspace
   * @param sandbox of the process, if it has one
   * @throws dev.baton.runner.sandbox.SandboxException when the sandbox cannot be created
   */
  static Process start(
      List<String> command,
      Path directory,
      Map<String, String> environment,
      WorkspaceMount fixed,
      Optional<StepSandbox> sandbox)
      throws IOException {
    return start(command, directory, environment, fixed, sandbox, Redirect.from(NOTHING));
  }

  /** Starts a command like {@link #start}, with a pipe as its standard input. */
  static Process startWithInput(
      List<String> command,
      Path directory,
      Map<String, String> environment,
      WorkspaceMount fixed,
      Optional<StepSandbox> sandbox)
      throws IOException {
    return start(command, directory, environment, fixed, sandbox, Redirect.PIPE);
  }

  private static Process start(
      List<String> command,
      Path directory,
      Map<String, String> environment,
      WorkspaceMount fixed,
      Optional<StepSandbox> sandbox,
      Redirect input)
      throws IOException {
    if (sandbox.isEmpty()) {
      return fixed.start(builder(command, environment).redirectInput(input), directory);
    }
    List<String> inside = sandbox.get().command(command, directory, fixed.seen(directory));
    return builder(inside, environment).redirectInput(input).directory(directory.toFile()).start();
  }

  /** Starts a command like {@link #start}, but for the runner's own use. */
  static Process startOwn(
      List<String> command, Path directory, Map<String, String> environment, WorkspaceMount fixed)
      throws IOException {
    ProcessBuilder builder = builder(command, environment).directory(directory.toFile());
    return fixed.startOwn(List.of(builder), directory).getLast();
  }

  private static ProcessBuilder builder(List<String> command, Map<String, String> environment) {
    // setsid does not fork: a child of the JVM is not a process group leader, so it keeps its id.
    List<String> words = new ArrayList<>();
    SETSID.ifPresent(words::add);
    words.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(words).redirectInput(Redirect.from(NOTHING));
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder;
  }
}
