/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Metrics of liveness. */
@ApplicationScoped
class LivenessMetrics {
  private final Counter heartbeats;
  private final Counter malformed;
  private final Counter refused;
  private final Counter missed;
  private final Counter failures;
  private final Timer late;
  private final Map<Integer, Integer> watched = new ConcurrentHashMap<>();

  LivenessMetrics(MeterRegistry registry) {
    heartbeats = Counter.builder("baton.liveness.heartbeats").register(registry);
    malformed = Counter.builder("baton.liveness.malformed").register(registry);
    refused =
        Counter.builder("baton.liveness.refused")
            .description("heartbeats without a lease of runs whose runners have one")
            .register(registry);
    failures =
        Counter.builder("baton.liveness.failures")
            .description("how often the liveness thread was replaced")
            .register(registry);
    missed = Counter.builder("baton.liveness.missed").register(registry);
    late =
        Timer.builder("baton.liveness.signal.delay")
            .description("from a runner's timeout to its heartbeats_missed signal")
            .register(registry);
    Gauge.builder("baton.liveness.watched", this::watched).register(registry);
  }

  void heartbeat() {
    heartbeats.increment();
  }

  void malformed() {
    malformed.increment();
  }

  void refused() {
    refused.increment();
  }

  void failed() {
    failures.increment();
  }

  /**
   * @param lateMillis time from the timeout to the signal
   */
  void missed(long lateMillis) {
    missed.increment();
    late.record(Duration.ofMillis(lateMillis));
  }

  /** The number of runs that this replica watches. */
  int watched() {
    return watched.values().stream().mapToInt(Integer::intValue).sum();
  }

  void watched(int partition, int runs) {
    watched.put(partition, runs);
  }

  /** The partition has moved to another replica. */
  void unwatched(int partition) {
    watched.remove(partition);
  }
}
