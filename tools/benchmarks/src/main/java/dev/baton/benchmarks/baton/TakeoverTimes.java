/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

/**
 * When the steps of a takeover were read from the topics, by {@link System#nanoTime()}; 0: not
 * read. Immutable.
 *
 * @param signal the first signal that the runner is lost
 * @param assignment the new epoch's {@code runner_assigned}
 * @param runner its {@code runner_started}
 * @param step its first {@code step_started}
 */
public record TakeoverTimes(long signal, long assignment, long runner, long step) {
  static final TakeoverTimes NONE = new TakeoverTimes(0, 0, 0, 0);

  TakeoverTimes withSignal(long now) {
    // Later ones repeat it: the exit of a runner that missed heartbeats.
    return signal == 0 ? new TakeoverTimes(now, assignment, runner, step) : this;
  }

  TakeoverTimes withAssignment(long now) {
    return new TakeoverTimes(signal, now, runner, step);
  }

  TakeoverTimes withRunner(long now) {
    return new TakeoverTimes(signal, assignment, now, step);
  }

  TakeoverTimes withStep(long now) {
    return new TakeoverTimes(signal, assignment, runner, now);
  }
}
