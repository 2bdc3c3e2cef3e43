/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.heartbeat;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Provides the content of a run's heartbeats. Called from the heartbeat thread: must not block. */
public interface HeartbeatSource {
  /** Activity of a run as its heartbeat reports it. */
  enum Activity {
    RUNNING,
    WAITING,
    /**
     * Its heartbeats were not acknowledged: the run is stopped until the orchestrator confirms it.
     */
    SUSPENDED,
    STOPPING
  }

  Activity activity();

  /** Path of the most recently started step. */
  @Nullable String step();

  /** When the run's state last changed. */
  @Nullable Instant lastActivity();

  /** Returns the tokens that the run's agents have used so far. */
  default long tokens() {
    return 0;
  }

  /** Returns the known cost of the run's agents so far, in US dollars. */
  default double cost() {
    return 0;
  }
}
