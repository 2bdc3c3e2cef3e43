/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.heartbeat;

import dev.baton.protocol.clock.HeartbeatBounds;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.EventTypeRegistry;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A runner's heartbeat for one run, on {@code baton.heartbeats} keyed by the run id, as a
 * CloudEvent of type {@value #TYPE}.
 *
 * @param state {@code running waiting suspended stopping}; {@code ended} is the last one: the run
 *     needs no further runner; {@code warm_up}: a runner without a run prepares its connections, so
 *     readers ignore it
 * @param intervalMs interval at which it is sent, at least {@value HeartbeatBounds#MIN_INTERVAL_MS}
 * @param timeoutMs time without a heartbeat after which the runner counts as lost, at least {@value
 *     HeartbeatBounds#MIN_TIMEOUT_MS}
 * @param tokens used so far by agent steps
 * @param cost in US dollars so far
 * @param cpu share of one core since the last heartbeat, 0 and up
 * @param memoryBytes resident size of the runner
 */
public record Heartbeat(
    String run,
    int epoch,
    String runner,
    String state,
    @Nullable String step,
    @Nullable Instant lastActivity,
    long intervalMs,
    long timeoutMs,
    long tokens,
    double cost,
    double cpu,
    long memoryBytes) {
  public static final String TYPE = EventTypeRegistry.PREFIX + "heartbeat";

  public static final String ENDED = "ended";
  public static final String WARM_UP = "warm_up";

  public byte[] toJson() {
    return Json.bytes(this);
  }
}
