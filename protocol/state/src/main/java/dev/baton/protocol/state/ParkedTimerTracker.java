/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.trace.TraceEvent;
import java.util.Map;

/**
 * Keeps the remaining time of the waits of parked runs: what the last runner measured by its
 * monotonic clock, less the time for which the run was parked. Not thread-safe.
 */
final class ParkedTimerTracker {
  private final Map<String, StepState> steps;
  private final UncommittedStepTracker uncommitted;

  ParkedTimerTracker(Map<String, StepState> steps, UncommittedStepTracker uncommitted) {
    this.steps = steps;
    this.uncommitted = uncommitted;
  }

  void park(TraceEvent.RunParked parked) {
    parked
        .leftMs()
        .forEach(
            (path, ms) -> {
              StepState state = steps.get(path);
              if (state != null) {
                uncommitted.touch(path);
                steps.put(path, state.withLeft(ms));
              }
            });
  }

  /** Comes after the branches were rolled back for the new epoch. */
  void assign(TraceEvent.RunnerAssigned assigned) {
    Long waited = assigned.waitedMs();
    if (waited != null) {
      steps.replaceAll((path, state) -> state.afterWaiting(waited));
    }
  }
}
