/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One SIGKILL of a runner, and the time until its replacement resumed.
 *
 * @param step the running step, or the one that completed last
 * @param epoch of the killed runner
 * @param nanos monotonic clock of this program when the signal was sent
 * @param at wall clock at the same time
 * @param failoverMs until the next step's first event arrived here; null until then
 * @param eventMs until that event was written, by its own timestamp; null if it has none
 */
record RunnerKill(
    String run,
    String step,
    long pid,
    int epoch,
    long nanos,
    Instant at,
    @Nullable Double failoverMs,
    @Nullable Double eventMs) {

  RunnerKill ended(double measuredMs, @Nullable Double byEventTimeMs) {
    return new RunnerKill(run, step, pid, epoch, nanos, at, measuredMs, byEventTimeMs);
  }
}
