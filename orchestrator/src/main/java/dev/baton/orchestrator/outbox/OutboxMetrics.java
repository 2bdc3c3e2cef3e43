/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.outbox;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Reports the pending outbox rows of all replicas; updated every 5 s. */
@ApplicationScoped
class OutboxMetrics {
  private static final Logger LOG = Logger.getLogger(OutboxMetrics.class);
  private static final Duration EVERY = Duration.ofSeconds(5);
  private static final String LOOK =
      """
      SELECT count(*) AS rows, count(*) FILTER (WHERE awaits_slot) AS awaiting, COALESCE(max(attempts), 0) AS attempts,
        COALESCE(extract(epoch FROM now() - min(created_at)), 0)::float8 AS age FROM orchestrator.outbox""";

  /** The values are unknown while Postgres is unavailable. */
  private static final Owed UNKNOWN = new Owed(Double.NaN, Double.NaN, Double.NaN, Double.NaN);

  private record Owed(double rows, double awaiting, double attempts, double age) {}

  private final Pool pool;
  private volatile Owed owed = UNKNOWN;
  private volatile @Nullable Cancellable ticking;

  OutboxMetrics(Pool pool, MeterRegistry metrics) {
    this.pool = pool;
    Gauge.builder("baton.outbox.rows", () -> owed.rows())
        .description("pending outbox rows")
        .register(metrics);
    Gauge.builder("baton.outbox.awaiting.slot", () -> owed.awaiting())
        .description("pending launches that wait for a free slot")
        .register(metrics);
    Gauge.builder("baton.outbox.attempts", () -> owed.attempts())
        .description("attempts of the row with the most attempts")
        .register(metrics);
    Gauge.builder("baton.outbox.age", () -> owed.age())
        .description("age of the oldest row")
        .baseUnit("seconds")
        .register(metrics);
  }

  void onStart(@Observes @Priority(4000) StartupEvent event) {
    ticking =
        Multi.createFrom()
            .ticks()
            .every(EVERY)
            .onOverflow()
            .drop()
            .onItem()
            .transformToUniAndConcatenate(tick -> look())
            .subscribe()
            .with(now -> owed = now, failure -> LOG.errorf(failure, "outbox metrics: stopped"));
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    Cancellable now = ticking;
    if (now != null) {
      now.cancel();
    }
  }

  private Uni<Owed> look() {
    return pool.query(LOOK)
        .execute()
        .map(rows -> owed(rows.iterator().next()))
        .ifNoItem()
        .after(EVERY)
        .fail()
        .onFailure()
        .invoke(failure -> LOG.debugf("outbox metrics: query failed, retrying: %s", failure))
        .onFailure()
        .recoverWithItem(UNKNOWN);
  }

  private static Owed owed(Row row) {
    return new Owed(
        row.getLong("rows"),
        row.getLong("awaiting"),
        row.getInteger("attempts"),
        row.getDouble("age"));
  }
}
