/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import dev.baton.protocol.clock.ClockGuard;

/**
 * Exit codes of the runner process. An isolated runner exits with {@link #DONE} when its run no
 * longer needs it, even if the run failed: the trace records how the run ended, the exit code how
 * the runner ended.
 */
public enum RunnerExitCode {
  /** The run ended or is assigned to another runner. */
  DONE(0),
  /** A setting is missing or wrong; the log names it. */
  CONFIG(64),
  /** The orchestrator sent no assignment, or the store no snapshot, within the timeout. */
  UNAVAILABLE(69),
  /** Internal error of the runner; see its log. The run continues on another runner. */
  INTERNAL(70),
  /**
   * The trace could not be written within the producer's delivery timeout. The run continues on
   * another runner.
   */
  JOURNAL(74),
  /** The wall clock was set back. The run continues on another runner. */
  CLOCK(ClockGuard.EXIT_CODE),
  /** SIGTERM: steps were stopped and the workspace was cut. The run continues on another runner. */
  TERMINATED(143);

  private final int code;

  RunnerExitCode(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }
}
