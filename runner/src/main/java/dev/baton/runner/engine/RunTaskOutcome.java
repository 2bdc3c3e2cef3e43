/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.state.RunStatus;
import java.util.Locale;

/** Why a runner carries a run no longer. */
public enum RunTaskOutcome {
  COMPLETED,
  FAILED,
  CANCELLED,
  PAUSED,
  /** It waits without a runner. */
  PARKED,
  FENCED,
  /** By SIGTERM: released as {@code stopped}, so that it is failed over at once. */
  SHUTDOWN,
  /**
   * By an error of the runner. Where the runner has other runs it is released as {@code broken},
   * and the orchestrator counts it as a death; where it has not, the process ends.
   */
  BROKEN,
  /** What the run needs could not be reached for as long as the runner waits for it. */
  UNAVAILABLE;

  /** Whether the gateway is told although the process ends with the run. */
  public boolean isReleased() {
    return this != BROKEN && this != UNAVAILABLE;
  }

  /** Whether the run needs no runner, as far as this one knows. */
  public boolean isEnd() {
    return switch (this) {
      case COMPLETED, FAILED, CANCELLED, PAUSED, PARKED -> true;
      case FENCED, SHUTDOWN, BROKEN, UNAVAILABLE -> false;
    };
  }

  /** As the gateway is told. */
  public String word() {
    return this == SHUTDOWN ? "stopped" : name().toLowerCase(Locale.ROOT);
  }

  /** Of a run that had ended before this runner came to it. */
  static RunTaskOutcome of(RunStatus ended) {
    return switch (ended) {
      case COMPLETED -> COMPLETED;
      case CANCELLED -> CANCELLED;
      case FAILED, LOST -> FAILED;
      case PENDING, STARTING, RUNNING, WAITING, PAUSING, PAUSED, INTERRUPTED, RESUMING ->
          throw new IllegalArgumentException(ended + " is no end");
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
