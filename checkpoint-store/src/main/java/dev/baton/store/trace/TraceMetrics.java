/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quarkus.runtime.Startup;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;

/** Counts what the consumer stores. The lag in records is Kafka's own metric. */
@Startup // registers the metrics before the first event
@ApplicationScoped
class TraceMetrics {
  private final Counter events;
  private final Counter duplicates;
  private final Counter unknown;
  private final Counter failedCaptures;
  private final Counter poison;
  private final Counter missing;
  private final Timer write;
  private final Timer delay;

  TraceMetrics(MeterRegistry registry) {
    events = registry.counter("baton.store.events");
    duplicates = registry.counter("baton.store.duplicates");
    unknown = registry.counter("baton.store.unknown.types");
    failedCaptures =
        Counter.builder("baton.store.captures.failed")
            .description(
                "checkpoints that a runner failed to save, and steps that ended without a cut")
            .register(registry);
    poison = registry.counter("baton.store.dead.letters");
    missing =
        Counter.builder("baton.store.missing.offsets")
            .description("offsets that the topic's retention deleted before they were stored")
            .register(registry);
    write = registry.timer("baton.store.write");
    delay =
        Timer.builder("baton.store.delay")
            .description("from the broker's timestamp of a batch's last record to its commit")
            .register(registry);
  }

  void stored(int inserted, int repeated, int unsupported, int captures, Duration took) {
    events.increment(inserted);
    duplicates.increment(repeated);
    unknown.increment(unsupported);
    failedCaptures.increment(captures);
    write.record(took);
  }

  void delayed(Duration since) {
    delay.record(since);
  }

  void missing(long offsets) {
    missing.increment(offsets);
  }

  void poisoned() {
    poison.increment();
  }
}
