/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import java.util.Optional;

/** Sends SIGKILL to a runner, after checking that the process is one. */
final class RunnerKiller {
  private RunnerKiller() {}

  /**
   * @return false when the process has already ended
   * @throws CliException when the process is not a Java program of this user
   */
  static boolean kill(long pid) {
    Optional<ProcessHandle> found = ProcessHandle.of(pid).filter(ProcessHandle::isAlive);
    if (found.isEmpty()) {
      return false;
    }
    String command = found.get().info().command().orElse("");
    if (!command.endsWith("java")) {
      throw CliException.of(
          CliExitCode.FAILED,
          "process %d is '%s' instead of a runner: not killed".formatted(pid, command));
    }
    return found.get().destroyForcibly();
  }
}
