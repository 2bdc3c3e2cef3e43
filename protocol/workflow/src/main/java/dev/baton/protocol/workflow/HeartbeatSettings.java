/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.clock.HeartbeatBounds;
import java.time.Duration;

/**
 * @param interval between heartbeats, at least 200 ms
 * @param timeout without a heartbeat after which the runner counts as lost, at least three
 *     intervals
 */
public record HeartbeatSettings(Duration interval, Duration timeout) {
  public static final Duration MIN_INTERVAL = Duration.ofMillis(HeartbeatBounds.MIN_INTERVAL_MS);
  public static final Duration MIN_TIMEOUT = Duration.ofMillis(HeartbeatBounds.MIN_TIMEOUT_MS);
}
