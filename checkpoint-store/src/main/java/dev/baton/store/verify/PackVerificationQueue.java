/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.verify;

import dev.baton.store.packs.PackRow;
import dev.baton.store.scheduling.Await;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.OffsetDateTime;
import java.util.Optional;

/**
 * Selects the next pack to verify. Reserves it for ten minutes, so that no other replica reads the
 * same pack. Thread-safe. Blocks.
 */
@ApplicationScoped
class PackVerificationQueue {
  private static final String CLAIM =
      """
      UPDATE store.pack p SET checked_at = now() FROM store.project j
      WHERE j.id = p.project AND p.id = (
        SELECT id FROM store.pack
        WHERE state = 1 AND problem IS NULL AND %s
          AND (checked_at IS NULL OR checked_at < now() - interval '10 minutes')
        ORDER BY %s LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING"""
          + " "
          + PackRow.COLUMNS;

  static final String NEW = CLAIM.formatted("verified_at IS NULL", "registered_at");
  static final String OLDEST = CLAIM.formatted("verified_at < $1::timestamptz", "verified_at");

  private final Pool pool;

  PackVerificationQueue(Pool pool) {
    this.pool = pool;
  }

  /** Reserves a pack that was never verified. */
  Optional<PackRow> fresh() {
    return first(Await.get(pool.preparedQuery(NEW).execute()));
  }

  /** Reserves the pack whose last verification is oldest and before this time. */
  Optional<PackRow> oldest(OffsetDateTime before) {
    return first(Await.get(pool.preparedQuery(OLDEST).execute(Tuple.of(before))));
  }

  /** The time by the clock of Postgres, which all times here refer to. */
  OffsetDateTime now() {
    return Await.get(pool.query("SELECT now()").execute()).iterator().next().getOffsetDateTime(0);
  }

  private static Optional<PackRow> first(RowSet<Row> rows) {
    return rows.size() == 0 ? Optional.empty() : Optional.of(PackRow.of(rows.iterator().next()));
  }
}
