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
 * A run's runner as it is kept over restarts. When it was last heard is not kept: after a restart
 * every runner gets its full timeout anew, so a heartbeat costs no write.
 *
 * @param reported whether its silence has been signalled
 */
record Watched(int epoch, String runner, long timeoutMs, boolean reported) {

  static Watched of(Heartbeat heartbeat) {
    return new Watched(heartbeat.epoch(), heartbeat.runner(), heartbeat.timeoutMs(), false);
  }

  Watched asReported() {
    return new Watched(epoch, runner, timeoutMs, true);
  }

  boolean isSameAs(Heartbeat heartbeat) {
    return epoch == heartbeat.epoch()
        && runner.equals(heartbeat.runner())
        && timeoutMs == heartbeat.timeoutMs();
  }

  static Serde<Watched> serde() {
    return Serdes.serdeFrom(
        (topic, watched) -> watched == null ? null : Json.bytes(watched),
        (topic, bytes) -> bytes == null ? null : Json.read(bytes, Watched.class));
  }
}
