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
 * One SIGKILL of a runner, and how long until its replacement went on.
 *
 * @param step what ran, or had last been completed
 * @param epoch whose runner it was
 * @param nanos this program's clock when the signal was sent
 * @param at the wall clock then
 * @param failoverMs until the next step's first event arrived here; null until it has
 * @param eventMs until that event was written, by its own time; null where it has none
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
