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
 * A run's runner as stored across restarts and moved to another replica.
 *
 * @param reported whether its silence was signalled
 * @param offset of its last heartbeat in its partition; with {@code sentAt}, its time, it
 *     identifies a heartbeat that is read again
 * @param heardAt when its last heartbeat was read, in milliseconds on the clock of the replica that
 *     read it; 0 when an earlier version did not store it
 * @param since when the first heartbeat of the epoch was read in this partition, on the same clock;
 *     0 when an earlier version did not store it
 * @param attested whether its heartbeats have a valid lease
 */
record WatchedRunner(
    int epoch,
    String runner,
    long timeoutMs,
    boolean reported,
    long heardAt,
    long offset,
    long sentAt,
    long since,
    boolean attested) {

  static WatchedRunner of(
      Heartbeat heartbeat,
      boolean attested,
      boolean reported,
      long heardAt,
      long offset,
      long sentAt,
      long since) {
    return new WatchedRunner(
        heartbeat.epoch(),
        heartbeat.runner(),
        heartbeat.timeoutMs(),
        reported,
        heardAt,
        offset,
        sentAt,
        since,
        attested);
  }

  WatchedRunner asReported() {
    return new WatchedRunner(
        epoch, runner, timeoutMs, true, heardAt, offset, sentAt, since, attested);
  }

  WatchedRunner heardAt(long time) {
    return new WatchedRunner(
        epoch, runner, timeoutMs, reported, time, offset, sentAt, since, attested);
  }

  /**
   * Whether the heartbeat was counted before: a replica that takes over a partition reads the last
   * second of its predecessor again. A re-created topic starts with small offsets, and a clock that
   * was set back with small times; never both.
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
