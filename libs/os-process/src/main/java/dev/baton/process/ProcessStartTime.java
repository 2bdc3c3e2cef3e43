/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.process;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Compares start times of records that have only milliseconds, such as rows of a database. Such a
 * time is computed from the boot time, which shifts slightly when the clock is set; prefer {@link
 * ProcessIdentity} where a record is new.
 */
public final class ProcessStartTime {
  private static final Duration CLOCK_SLACK = Duration.ofSeconds(2);

  private ProcessStartTime() {}

  /** Returns the start in milliseconds since 1970; 0 if it is not known. */
  public static long of(ProcessHandle handle) {
    return handle.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
  }

  /** Whether the process started at this time, and is not a later one with the same pid. */
  public static boolean isSame(ProcessHandle handle, long startedAtMillis) {
    return Math.abs(of(handle) - startedAtMillis) <= CLOCK_SLACK.toMillis();
  }

  /** Returns the recorded process if it is alive and its pid was not reused. */
  public static Optional<ProcessHandle> alive(long pid, long startedAtMillis) {
    return ProcessHandle.of(pid)
        .filter(handle -> isSame(handle, startedAtMillis))
        .filter(handle -> ProcfsProcessReader.isAlive(pid));
  }
}
