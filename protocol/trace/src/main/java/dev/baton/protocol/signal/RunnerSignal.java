/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.signal;

import org.jspecify.annotations.Nullable;

/**
 * Signals to the failover component on {@code baton.signals}, keyed by the run id, as CloudEvents
 * of type {@code dev.baton.runner_exited}, {@code dev.baton.runner_left} or {@code
 * dev.baton.heartbeats_missed}.
 */
public sealed interface RunnerSignal {
  String run();

  int epoch();

  /**
   * A launcher detected the end of the runner's process.
   *
   * @param exitCode of the process, 128+n for signal n; null where the launcher only detected that
   *     the process is gone
   */
  record RunnerExited(String run, int epoch, String runner, @Nullable Integer exitCode)
      implements RunnerSignal {}

  /**
   * A runner that shuts down gracefully has cut the run and released it.
   *
   * @param reason {@code terminated max_lifetime}
   */
  record RunnerLeft(String run, int epoch, String runner, String reason) implements RunnerSignal {}

  /**
   * @param silentMs time since the last heartbeat
   */
  record HeartbeatsMissed(String run, int epoch, String runner, long silentMs, long timeoutMs)
      implements RunnerSignal {}
}
