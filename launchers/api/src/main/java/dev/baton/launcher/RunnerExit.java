/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import org.jspecify.annotations.Nullable;

/**
 * The end of a runner.
 *
 * @param exitCode as a shell shows it, 128 and the signal for a killed one; null when it is unknown
 * @param detail for people; null when there is nothing to add
 */
public record RunnerExit(
    String runner, @Nullable Integer exitCode, ExitReason reason, @Nullable String detail) {
  private static final int SIGNALS = 128;
  private static final int LAST_SIGNAL = 64;

  /** The exit of a process with this code. */
  public static RunnerExit ofCode(String runner, int exitCode) {
    ExitReason reason =
        exitCode == 0
            ? ExitReason.COMPLETED
            : signalOf(exitCode) == null ? ExitReason.FAILED : ExitReason.KILLED;
    return new RunnerExit(runner, exitCode, reason, null);
  }

  /** An exit of which only the fact is known. */
  public static RunnerExit unknown(String runner) {
    return new RunnerExit(runner, null, ExitReason.UNKNOWN, null);
  }

  /** Returns the number of the signal that ended it; null when none did or it is unknown. */
  public @Nullable Integer signal() {
    return exitCode == null ? null : signalOf(exitCode);
  }

  private static @Nullable Integer signalOf(int code) {
    return code > SIGNALS && code <= SIGNALS + LAST_SIGNAL ? Integer.valueOf(code - SIGNALS) : null;
  }
}
