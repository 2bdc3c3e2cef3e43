/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.heartbeat;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a heartbeat says about a run. Called from the heartbeat thread: must not block. */
public interface HeartbeatSource {
  /** What a heartbeat reports of its run. */
  enum Activity {
    RUNNING,
    WAITING,
    /** Its heartbeats were not acknowledged: nothing goes on until the orchestrator confirms it. */
    SUSPENDED,
    STOPPING
  }

  Activity activity();

  /** The path of the newest step that started. */
  @Nullable String step();

  /** When the run's state last changed. */
  @Nullable Instant lastActivity();
}
