/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.deletion;

import dev.baton.store.objects.BucketClient;
import dev.baton.store.scheduling.Await;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;

/** Counts and deletes a run's rows and blobs. Blocks. */
@ApplicationScoped
class StoredRunRepository {
  private static final int BATCH = 10_000;

  static final String COUNT_EVENTS = "SELECT count(*) FROM store.event WHERE run = $1";
  static final String COUNT_CUTS = "SELECT count(*) FROM store.cut WHERE run = $1";
  static final String COUNT_CHECKPOINTS = "SELECT count(*) FROM store.checkpoint WHERE run = $1";
  static final String COUNT_BLOBS =
      "SELECT (SELECT count(*) FROM store.object_use WHERE run = $1)"
          + " + (SELECT count(*) FROM store.log_chunk WHERE run = $1)";
  static final String COUNT_ORIGINS = "SELECT count(*) FROM store.fork WHERE run = $1";

  static final String DELETE_EVENTS =
      """
      DELETE FROM store.event WHERE run = $1
        AND position IN (SELECT position FROM store.event WHERE run = $1 LIMIT"""
          + " "
          + BATCH
          + ")";
  static final String DELETE_HOME = "DELETE FROM store.run_home WHERE run = $1";
  static final String DELETE_CUTS = "DELETE FROM store.cut WHERE run = $1";

  static final String BLOBS = "SELECT key FROM store.object_use WHERE run = $1 LIMIT 1000";

  // A concurrent request that registers the blob waits for this row, then finds the object gone.
  static final String LOCK_BLOB = "SELECT size_bytes FROM store.object WHERE key = $1 FOR UPDATE";
  static final String OTHERS =
      "SELECT run FROM store.object_use WHERE key = $1 AND run <> $2 LIMIT 1";
  static final String DELETE_BLOB = "DELETE FROM store.object WHERE key = $1";
  static final String DELETE_USE = "DELETE FROM store.object_use WHERE key = $1 AND run = $2";

  private final Pool pool;
  private final BucketClient bucket;

  StoredRunRepository(Pool pool, BucketClient bucket) {
    this.pool = pool;
    this.bucket = bucket;
  }

  long count(String statement, String run) {
    return Await.get(pool.preparedQuery(statement).execute(Tuple.of(run)))
        .iterator()
        .next()
        .getLong(0);
  }

  /** Returns the number of deleted rows. */
  long delete(String statement, String run) {
    return Await.get(pool.preparedQuery(statement).execute(Tuple.of(run))).rowCount();
  }

  long deleteEvents(String run) {
    long all = 0;
    for (long some = delete(DELETE_EVENTS, run); some > 0; some = delete(DELETE_EVENTS, run)) {
      all += some;
    }
    return all;
  }

  /** Deletes the blobs that no other run uses and returns their sizes. */
  List<Long> deleteBlobs(String run) {
    List<Long> sizes = new ArrayList<>();
    for (List<String> keys = blobs(run); !keys.isEmpty(); keys = blobs(run)) {
      for (String key : keys) {
        long size = Await.get(pool.withTransaction(tx -> deleteBlob(tx, run, key)));
        if (size >= 0) {
          sizes.add(size);
        }
      }
    }
    return sizes;
  }

  private List<String> blobs(String run) {
    List<String> keys = new ArrayList<>();
    for (Row row : Await.get(pool.preparedQuery(BLOBS).execute(Tuple.of(run)))) {
      keys.add(row.getString(0));
    }
    return keys;
  }

  /** Returns the size of the deleted blob; -1 if another run still uses it. */
  private Uni<Long> deleteBlob(SqlConnection tx, String run, String key) {
    return tx.preparedQuery(LOCK_BLOB)
        .execute(Tuple.of(key))
        .map(rows -> rows.size() == 0 ? 0L : rows.iterator().next().getLong(0))
        .chain(
            size ->
                tx.preparedQuery(OTHERS)
                    .execute(Tuple.of(key, run))
                    .chain(
                        others ->
                            others.size() > 0
                                ? Uni.createFrom().item(-1L)
                                : bucket
                                    .remove(key)
                                    .chain(
                                        () -> tx.preparedQuery(DELETE_BLOB).execute(Tuple.of(key)))
                                    .replaceWith(size)))
        .call(() -> tx.preparedQuery(DELETE_USE).execute(Tuple.of(key, run)));
  }
}
