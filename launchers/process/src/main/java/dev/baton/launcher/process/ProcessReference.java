/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.process;

import dev.baton.process.ProcessStartTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One process, not a later one with the same pid. Its text, {@code <pid>@<ms>}, is the handle of a
 * runner.
 *
 * @param startedAtMs Unix time
 */
record ProcessReference(long pid, long startedAtMs) {
  static ProcessReference of(ProcessHandle handle) {
    return new ProcessReference(handle.pid(), ProcessStartTime.of(handle));
  }

  /** Returns empty when the text is not a handle of this launcher. */
  static Optional<ProcessReference> parse(@Nullable String handle) {
    int at = handle == null ? -1 : handle.indexOf('@');
    if (handle == null || at < 1) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new ProcessReference(
              Long.parseLong(handle.substring(0, at)), Long.parseLong(handle.substring(at + 1))));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Returns the process if it is alive. */
  Optional<ProcessHandle> alive() {
    return ProcessStartTime.alive(pid, startedAtMs);
  }

  /** Whether the pid now belongs to another process. */
  boolean isReused() {
    return ProcessHandle.of(pid)
        .filter(handle -> !ProcessStartTime.isSame(handle, startedAtMs))
        .isPresent();
  }

  String text() {
    return pid + "@" + startedAtMs;
  }
}
