/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import dev.baton.protocol.signal.RunnerSignal;
import java.time.Duration;

/**
 * Records that a run's runner was disconnected, has reconnected and was confirmed as the holder of
 * the run. Pure.
 *
 * @param epoch in which it holds the run
 * @param ago time since the confirmation, on the database's clock
 */
record ReconnectGuard(int epoch, Duration ago) {

  /**
   * Whether a signal is about the silence before the confirmation: a runner that falls silent again
   * cannot be reported until its timeout after the confirmation. A correct signal that is ignored
   * is repeated by liveness while it stays true; clock differences only delay the decision and
   * never change it.
   *
   * @param age time since the signal was published
   */
  boolean contradicts(RunnerSignal signal, Duration age) {
    return switch (signal) {
      case RunnerSignal.HeartbeatsMissed missed ->
          missed.epoch() == epoch && ago.minus(age).toMillis() < missed.timeoutMs();
      // The process has ended or will end; it cannot reconnect.
      case RunnerSignal.RunnerExited _, RunnerSignal.RunnerLeft _ -> false;
    };
  }
}
