/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.gc;

import dev.baton.store.packs.PackRow;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The statements of the three stages of a pack's deletion: the pack is doomed, its object deleted,
 * its row deleted. A crash may follow each stage, and each can be repeated.
 */
final class PackDeletion {
  static final int BATCH = 200;

  /** Takes no lock: each candidate is checked again. */
  static final String CANDIDATES =
      """
      SELECT p.id FROM store.pack p
      WHERE p.touched_at < now() - make_interval(secs => $1::double precision) AND p.state <> 2
        AND NOT EXISTS (SELECT FROM store.checkpoint_pack r WHERE r.pack = p.id)
      ORDER BY p.touched_at LIMIT $2""";

  // Skips a pack that another transaction has locked, since it is in use.
  static final String LOCK =
      """
      SELECT p.id FROM store.pack p
      WHERE p.id = ANY($2::bigint[]) AND p.state <> 2
        AND p.touched_at < now() - make_interval(secs => $1::double precision)
      ORDER BY p.id FOR UPDATE SKIP LOCKED""";

  // A separate statement after the lock, so that it sees a reference that the previous lock holder
  // added.
  static final String DOOM =
      """
      UPDATE store.pack p SET state = 2, touched_at = now()
      WHERE p.id = ANY($1::bigint[])
        AND NOT EXISTS (SELECT FROM store.checkpoint_pack r WHERE r.pack = p.id)
      RETURNING p.id""";

  static final String ROWS =
      "SELECT "
          + PackRow.COLUMNS
          + " FROM store.pack p JOIN store.project j ON j.id = p.project"
          + " WHERE p.id = ANY($1::bigint[]) AND p.state = 2";

  /**
   * Packs left by a crash or by an object store that did not respond; skips those doomed within the
   * last minute.
   */
  static final String LEFT =
      "SELECT "
          + PackRow.COLUMNS
          + " FROM store.pack p JOIN store.project j ON j.id = p.project"
          + " WHERE p.state = 2 AND p.touched_at < now() - interval '1 minute' LIMIT "
          + BATCH;

  static final String AGAIN = "UPDATE store.pack SET touched_at = now() WHERE id = $1";

  // A pack with the same digest gets another key from now on.
  static final String DELETE =
      """
      WITH gone AS (
        DELETE FROM store.pack WHERE id = $1 AND state = 2 RETURNING id, project, digest),
      remembered AS (
        INSERT INTO store.deleted_pack (project, digest) SELECT project, digest FROM gone
        ON CONFLICT (project, digest) DO UPDATE SET deleted_at = now())
      DELETE FROM store.chunk c WHERE c.pack = (SELECT id FROM gone)""";

  /**
   * Longer than a deletion may take to reach the object store: its signature is valid for 15
   * minutes, but the replica that sends it may have been suspended before it signed it.
   */
  static final String FORGET =
      "DELETE FROM store.deleted_pack WHERE deleted_at < now() - interval '7 days'";

  private PackDeletion() {}

  static Uni<List<Long>> candidates(Pool pool, Duration grace, int most) {
    return pool.preparedQuery(CANDIDATES)
        .execute(Tuple.of(seconds(grace), most))
        .map(PackDeletion::ids);
  }

  /** Dooms packs in a transaction. Returns those that are doomed now. */
  static Uni<List<Long>> doom(SqlConnection tx, Duration grace, List<Long> candidates) {
    return lock(tx, grace, candidates).chain(locked -> doomLocked(tx, locked));
  }

  static Uni<List<Long>> lock(SqlConnection tx, Duration grace, List<Long> candidates) {
    return tx.preparedQuery(LOCK)
        .execute(Tuple.of(seconds(grace), candidates.toArray(Long[]::new)))
        .map(PackDeletion::ids);
  }

  static Uni<List<Long>> doomLocked(SqlConnection tx, List<Long> locked) {
    return tx.preparedQuery(DOOM)
        .execute(Tuple.tuple().addValue(locked.toArray(Long[]::new)))
        .map(PackDeletion::ids);
  }

  static Uni<Void> deleteRow(Pool pool, long id) {
    return pool.preparedQuery(DELETE).execute(Tuple.of(id)).replaceWithVoid();
  }

  static List<PackRow> rows(RowSet<Row> rows) {
    List<PackRow> all = new ArrayList<>();
    rows.forEach(row -> all.add(PackRow.of(row)));
    return all;
  }

  private static List<Long> ids(RowSet<Row> rows) {
    List<Long> ids = new ArrayList<>();
    rows.forEach(row -> ids.add(row.getLong(0)));
    return ids;
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1_000.0;
  }
}
