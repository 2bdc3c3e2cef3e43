/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.json.Json;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * A run's runner as it is kept over restarts and moves to another replica.
 *
 * @param reported whether its silence has been signalled
 * @param offset of that heartbeat in its partition, and {@code sentAt} its time: together they tell
 *     one that is read again
 * @param heardAt when its last heartbeat was read, in milliseconds on the clock of the replica that
 *     read it; 0 where an earlier version did not say
 */
record WatchedRunner(
    int epoch,
    String runner,
    long timeoutMs,
    boolean reported,
    long heardAt,
    long offset,
    long sentAt) {

  static WatchedRunner of(
      Heartbeat heartbeat, boolean reported, long heardAt, long offset, long sentAt) {
    return new WatchedRunner(
        heartbeat.epoch(),
        heartbeat.runner(),
        heartbeat.timeoutMs(),
        reported,
        heardAt,
        offset,
        sentAt);
  }

  WatchedRunner asReported() {
    return new WatchedRunner(epoch, runner, timeoutMs, true, heardAt, offset, sentAt);
  }

  WatchedRunner heardAt(long time) {
    return new WatchedRunner(epoch, runner, timeoutMs, reported, time, offset, sentAt);
  }

  /**
   * Whether the heartbeat is one that was counted before: whoever takes over a partition begins
   * with the last second of the one before. A topic made anew begins with small offsets, a clock
   * that was set back with small times; never both.
   */
  boolean hasCounted(long itsOffset, long itsTime) {
    return heardAt > 0 && itsOffset <= offset && itsTime <= sentAt;
  }

  static Serde<WatchedRunner> serde() {
    return Serdes.serdeFrom(
        (topic, watched) -> watched == null ? null : Json.bytes(watched),
        (topic, bytes) -> bytes == null ? null : Json.read(bytes, WatchedRunner.class));
  }
}
