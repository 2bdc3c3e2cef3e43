/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.audit;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.publish.KafkaEventPublisher;
import dev.baton.protocol.audit.AuditRecord;
import dev.baton.server.PeriodicTask;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlConnection;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Publishes records to {@code baton.audit}, at least once, and deletes those whose time is over.
 * Records wait in Postgres while Kafka is not available. One replica publishes at a time.
 */
@ApplicationScoped
class AuditPublisher {
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration SQL = Duration.ofSeconds(20);
  private static final Duration KAFKA = Duration.ofSeconds(10);
  private static final int MOST = 200;

  /** Longer than any call takes. */
  private static final Duration LOST = Duration.ofMinutes(15);

  private static final Duration CLEAN_EVERY = Duration.ofMinutes(10);

  // Next to the outbox's space of advisory locks.
  private static final long LOCK = 0x6261746f6e61L;

  private final Pool pool;
  private final AuditRepository records;
  private final KafkaEventPublisher publisher;
  private final Duration retention;
  private final AtomicLong oldest = new AtomicLong();
  private final PeriodicTask publishing =
      new PeriodicTask("audit", EVERY, "audit: records cannot be published, retrying", this::run);
  private long cleanedNanos = System.nanoTime() - CLEAN_EVERY.toNanos();

  AuditPublisher(
      Pool pool,
      AuditRepository records,
      KafkaEventPublisher publisher,
      OrchestratorConfig config,
      MeterRegistry metrics) {
    this.pool = pool;
    this.records = records;
    this.publisher = publisher;
    this.retention = config.audit().retention();
    Gauge.builder("baton.audit.unpublished.age", oldest, AtomicLong::get)
        .description("seconds since the oldest record began that baton.audit does not have")
        .baseUnit("seconds")
        .register(metrics);
  }

  void onStart(@Observes @Priority(3000) StartupEvent event) {
    publishing.start();
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    publishing.stop();
  }

  private void run() {
    int published;
    do {
      published = on(pool.withTransaction(this::round));
    } while (published == MOST && !publishing.isStopping());
    if (System.nanoTime() - cleanedNanos >= CLEAN_EVERY.toNanos()) {
      cleanedNanos = System.nanoTime();
      on(records.expire(Instant.now().minus(retention)));
    }
  }

  /** Returns the number of published records. */
  private Uni<Integer> round(SqlConnection tx) {
    return tx.query("SELECT pg_try_advisory_xact_lock(" + LOCK + ") AS mine")
        .execute()
        .chain(
            rows ->
                rows.iterator().next().getBoolean("mine")
                    ? AuditRepository.unpublished(tx, Instant.now().minus(LOST), MOST)
                        .chain(found -> publish(tx, found))
                    : Uni.createFrom().item(0));
  }

  private Uni<Integer> publish(SqlConnection tx, List<AuditRecord> found) {
    oldest.set(
        found.isEmpty()
            ? 0
            : Math.max(0, Duration.between(found.getFirst().time(), Instant.now()).toSeconds()));
    if (found.isEmpty()) {
      return Uni.createFrom().item(0);
    }
    return Uni.join()
        .all(found.stream().map(publisher::audit).toList())
        .andFailFast()
        .ifNoItem()
        .after(KAFKA)
        .fail()
        .chain(() -> AuditRepository.published(tx, found.stream().map(AuditRecord::id).toList()))
        .replaceWith(found.size());
  }

  private static <T> T on(Uni<T> uni) {
    return uni.await().atMost(SQL);
  }
}
