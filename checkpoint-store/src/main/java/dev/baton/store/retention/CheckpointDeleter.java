/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.retention;

import dev.baton.store.objects.BucketClient;
import dev.baton.store.objects.CheckpointName;
import dev.baton.store.scheduling.Await;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;

/**
 * Deletes checkpoints: marks the rows, so that the checkpoints can no longer be opened, pinned or
 * forked, then deletes the checkpoint's objects, then the rows. The next pass completes a deletion
 * that a crash interrupted. Blocks.
 */
@ApplicationScoped
public class CheckpointDeleter {
  static final String LOCK =
      "SELECT id FROM store.checkpoint WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE";

  // A separate statement after the lock, so that it sees a pin that the previous lock holder set.
  static final String MARK =
      """
      UPDATE store.checkpoint c SET deleting = true
      WHERE id = ANY($1::text[]) AND (pinned_at IS NULL OR $2)
      RETURNING id""";

  static final String MARKED =
      """
      SELECT number, id, run, project FROM store.checkpoint
      WHERE deleting ORDER BY number LIMIT 1000""";

  static final String REFERENCES = "DELETE FROM store.checkpoint_pack WHERE checkpoint = $1";
  static final String ROW = "DELETE FROM store.checkpoint WHERE number = $1 AND deleting";

  private final Pool pool;
  private final BucketClient bucket;

  CheckpointDeleter(Pool pool, BucketClient bucket) {
    this.pool = pool;
    this.bucket = bucket;
  }

  /**
   * Deletes those of the checkpoints that are not pinned.
   *
   * @param pinned whether to delete pinned ones too
   * @return the ids of the deleted checkpoints
   */
  public List<String> delete(List<String> ids, boolean pinned) {
    if (ids.isEmpty()) {
      return List.of();
    }
    List<String> marked = Await.get(pool.withTransaction(tx -> mark(tx, ids, pinned)));
    finish();
    return marked;
  }

  static Uni<List<String>> mark(SqlConnection tx, List<String> ids, boolean pinned) {
    String[] all = ids.toArray(String[]::new);
    return tx.preparedQuery(LOCK)
        .execute(Tuple.tuple().addValue(all))
        .chain(() -> tx.preparedQuery(MARK).execute(Tuple.tuple().addValue(all).addValue(pinned)))
        .map(
            rows -> {
              List<String> marked = new ArrayList<>();
              rows.forEach(row -> marked.add(row.getString(0)));
              return marked;
            });
  }

  /** Completes the deletion of marked checkpoints. */
  public void finish() {
    for (RowSet<Row> rows = marked(); rows.size() > 0; rows = marked()) {
      for (Row row : rows) {
        CheckpointName name =
            new CheckpointName(row.getString(3), row.getString(2), row.getString(1));
        Await.get(bucket.remove(name.pinKey()));
        removeManifests(name);
        Tuple number = Tuple.of(row.getLong(0));
        Await.get(
            pool.withTransaction(
                tx ->
                    tx.preparedQuery(REFERENCES)
                        .execute(number)
                        .chain(() -> tx.preparedQuery(ROW).execute(number))));
      }
    }
  }

  /** Also removes objects of attempts that were given up. */
  private void removeManifests(CheckpointName name) {
    List<String> keys = new ArrayList<>();
    bucket.list(name.objectPrefix()).forEach(object -> keys.add(object.objectName()));
    keys.forEach(key -> Await.get(bucket.remove(key)));
  }

  private RowSet<Row> marked() {
    return Await.get(pool.query(MARKED).execute());
  }
}
