/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import dev.baton.protocol.signal.RunnerSignal;
import java.time.Duration;

/**
 * The run's runner was cut off, has come back and was told that it still holds the run. Pure.
 *
 * @param epoch that it holds it in
 * @param ago how long that is ago, on the database's clock
 */
record ReconnectGuard(int epoch, Duration ago) {

  /**
   * Whether a signal is about the silence before: who is silent for its timeout after it has come
   * back can be missed no sooner than that. One that is ignored although it was right comes again,
   * for liveness repeats what stays true; so clocks decide here how soon, never whether.
   *
   * @param age how long ago the signal was given
   */
  boolean contradicts(RunnerSignal signal, Duration age) {
    return switch (signal) {
      case RunnerSignal.HeartbeatsMissed missed ->
          missed.epoch() == epoch && ago.minus(age).toMillis() < missed.timeoutMs();
      // Its process has ended, or will: it does not come back from that.
      case RunnerSignal.RunnerExited _, RunnerSignal.RunnerLeft _ -> false;
    };
  }
}
