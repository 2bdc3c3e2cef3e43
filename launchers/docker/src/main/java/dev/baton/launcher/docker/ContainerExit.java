/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import dev.baton.launcher.ExitReason;
import dev.baton.launcher.RunnerExit;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a container has ended.
 *
 * @param code of its first process, as a shell shows it
 * @param isOutOfMemory whether a process in it was killed at its memory limit
 * @param error of Docker; null when it has none
 * @param memoryBytes its limit; 0 for none
 * @param ended when it has ended
 */
record ContainerExit(
    int code, boolean isOutOfMemory, @Nullable String error, long memoryBytes, Instant ended) {
  private static final long MIB = 1 << 20;

  RunnerExit of(String runner) {
    RunnerExit exit = RunnerExit.ofCode(runner, code);
    if (isOutOfMemory && code != 0) {
      return new RunnerExit(
          runner,
          code,
          ExitReason.OUT_OF_MEMORY,
          "the container reached its memory limit of "
              + memoryBytes / MIB
              + " MiB; raise container.memory of its launcher or pool");
    }
    return error == null ? exit : new RunnerExit(runner, code, exit.reason(), error);
  }
}
