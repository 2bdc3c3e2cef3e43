/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import org.jspecify.annotations.Nullable;

/**
 * A launched process, as listed by {@code GET /runners}.
 *
 * @param instance the orchestrator that has started it
 * @param run the run that it executes; null for none
 * @param attached whether it is attached to the queried orchestrator
 */
public record RunnerListEntry(
    String mode,
    String instance,
    @Nullable String run,
    int epoch,
    String state,
    long pid,
    boolean attached) {
  boolean isIdle() {
    return mode.equals("warm") && run == null && attached;
  }

  /** Whether the process executes any epoch of the run. */
  boolean isOf(String run) {
    return run.equals(this.run) && state.equals("running");
  }

  boolean carries(String run, int epoch) {
    return run.equals(this.run) && this.epoch == epoch && state.equals("running");
  }
}
