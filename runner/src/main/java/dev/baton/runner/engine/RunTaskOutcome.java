/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.state.RunStatus;
import java.util.Locale;

/** Why a runner no longer executes a run. */
public enum RunTaskOutcome {
  COMPLETED,
  FAILED,
  CANCELLED,
  PAUSED,
  /** The run waits without a runner. */
  PARKED,
  FENCED,
  /** Stopped by SIGTERM: released as {@code stopped}, so that the run is failed over at once. */
  SHUTDOWN,
  /**
   * Error of the runner. If the runner has other runs, the run is released as {@code broken}, and
   * the orchestrator counts it as a death; otherwise the process ends.
   */
  BROKEN,
  /**
   * A service that the run needs was unreachable for the whole time that the runner waits for it.
   */
  UNAVAILABLE;

  /** Whether the run is released even if the process ends with it. */
  public boolean isReleased() {
    return this != BROKEN && this != UNAVAILABLE;
  }

  /** Whether the run needs no runner, as far as this runner can determine. */
  public boolean isEnd() {
    return switch (this) {
      case COMPLETED, FAILED, CANCELLED, PAUSED, PARKED -> true;
      case FENCED, SHUTDOWN, BROKEN, UNAVAILABLE -> false;
    };
  }

  /** Returns the word that the gateway's messages use. */
  public String word() {
    return this == SHUTDOWN ? "stopped" : name().toLowerCase(Locale.ROOT);
  }

  /** Returns the outcome of a run that had ended before this runner executed it. */
  static RunTaskOutcome of(RunStatus ended) {
    return switch (ended) {
      case COMPLETED -> COMPLETED;
      case CANCELLED -> CANCELLED;
      case FAILED, LOST -> FAILED;
      case PENDING, STARTING, RUNNING, WAITING, PAUSING, PAUSED, INTERRUPTED, RESUMING ->
          throw new IllegalArgumentException(ended + " is not an end state");
    };
  }

  static RunTaskOutcome of(StopReason stop) {
    return switch (stop) {
      case PAUSED, PAUSED_NOW -> PAUSED;
      case PARKED -> PARKED;
      case LEAVING, SHUTDOWN -> SHUTDOWN;
      case CANCELLED -> CANCELLED;
      case FENCED -> FENCED;
      case BROKEN -> BROKEN;
    };
  }
}
