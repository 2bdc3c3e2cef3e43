/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import dev.baton.protocol.clock.ClockGuard;

/**
 * How the process ends. An isolated runner ends with {@link #DONE} for every run that needs it no
 * longer, the failed ones included: the trace says how a run went, the exit code says how the
 * runner went.
 */
public enum RunnerExitCode {
  /** The run ended, or is another runner's. */
  DONE(0),
  /** A setting is missing or wrong; the log names it. */
  CONFIG(64),
  /** The orchestrator gave no assignment, or the store no snapshot, within the patience. */
  UNAVAILABLE(69),
  /** An error that is the runner's own; the log has it. The run goes on with another runner. */
  INTERNAL(70),
  /**
   * The trace could not be written within the producer's delivery timeout. The run goes on with
   * another runner.
   */
  JOURNAL(74),
  /** The wall clock has gone back; the run goes on with another runner. */
  CLOCK(ClockGuard.EXIT_CODE),
  /** SIGTERM: steps were stopped and the workspace cut; the run goes on with another runner. */
  TERMINATED(143);

  private final int code;

  RunnerExitCode(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }
}
