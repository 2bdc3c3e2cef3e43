/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import java.time.Duration;
import java.util.Optional;

/**
 * How long a runner that has not attached may stay in a phase before it is killed and replaced. The
 * time begins again with each phase.
 *
 * @param queued empty: any time; the run is shown as waiting
 * @param pulling empty: any time
 * @param attach in the phases starting and running together
 */
public record LaunchTimeouts(
    Optional<Duration> queued, Optional<Duration> pulling, Duration attach) {
  /** Timeouts for launchers without the phases queued and pulling. */
  public static LaunchTimeouts ofAttach(Duration attach) {
    return new LaunchTimeouts(Optional.empty(), Optional.empty(), attach);
  }

  /** Returns the timeout in this phase; empty for none. */
  public Optional<Duration> in(RunnerPhase phase) {
    return switch (phase) {
      case QUEUED -> queued;
      case PULLING -> pulling;
      case STARTING, RUNNING -> Optional.of(attach);
      case ENDED, GONE -> Optional.empty();
    };
  }

  /** Whether the time begins again between two phases. */
  public static boolean isRestarted(RunnerPhase before, RunnerPhase now) {
    return before != now
        && now.isLive()
        && !(before == RunnerPhase.STARTING && now == RunnerPhase.RUNNING);
  }
}
