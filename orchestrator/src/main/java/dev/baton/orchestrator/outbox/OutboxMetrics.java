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

/** How much is owed, for all replicas together; looked at every five seconds. */
@ApplicationScoped
class OutboxMetrics {
  private static final Logger LOG = Logger.getLogger(OutboxMetrics.class);
  private static final Duration EVERY = Duration.ofSeconds(5);
  private static final String LOOK =
      """
      SELECT count(*) AS rows, count(*) FILTER (WHERE awaits_slot) AS awaiting, COALESCE(max(attempts), 0) AS attempts,
        COALESCE(extract(epoch FROM now() - min(created_at)), 0)::float8 AS age FROM orchestrator.outbox""";

  /** Not known while Postgres is away. */
  private static final Owed UNKNOWN = new Owed(Double.NaN, Double.NaN, Double.NaN, Double.NaN);

  private record Owed(double rows, double awaiting, double attempts, double age) {}

  private final Pool pool;
  private volatile Owed owed = UNKNOWN;
  private volatile @Nullable Cancellable ticking;

  OutboxMetrics(Pool pool, MeterRegistry metrics) {
    this.pool = pool;
    Gauge.builder("baton.outbox.rows", () -> owed.rows())
        .description("rows that are owed to the outside")
        .register(metrics);
    Gauge.builder("baton.outbox.awaiting.slot", () -> owed.awaiting())
        .description("launches among them that wait for a runner with room")
        .register(metrics);
    Gauge.builder("baton.outbox.attempts", () -> owed.attempts())
        .description("attempts of the row that was tried most often")
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
            .with(
                now -> owed = now, failure -> LOG.errorf(failure, "the outbox is watched no more"));
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
        .invoke(failure -> LOG.debugf("the outbox could not be looked at: %s", failure))
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
