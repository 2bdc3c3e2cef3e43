/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;

/** Metrics of the archive. Thread-safe. */
@ApplicationScoped
class ArchiveMetrics {
  private final Timer written;
  private final Counter failed;
  private final Counter hydrated;
  private final Counter refused;

  ArchiveMetrics(MeterRegistry registry) {
    written =
        Timer.builder("baton.store.archive.write")
            .description("a run's archival, from reading its events to its ref")
            .register(registry);
    failed =
        Counter.builder("baton.store.archive.failures")
            .description("attempts to archive a run, or to open the repository, that failed")
            .register(registry);
    hydrated =
        Counter.builder("baton.store.archive.hydrated")
            .description("runs imported from the archive")
            .register(registry);
    refused =
        Counter.builder("baton.store.archive.refused")
            .description("runs of the archive that could not be imported")
            .register(registry);
  }

  void written(Duration took) {
    written.record(took);
  }

  void failed() {
    failed.increment();
  }

  void hydrated() {
    hydrated.increment();
  }

  void refused() {
    refused.increment();
  }
}
