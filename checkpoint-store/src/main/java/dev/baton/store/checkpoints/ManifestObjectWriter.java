/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.checkpoints;

import dev.baton.server.PeriodicTask;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.objects.CheckpointName;
import dev.baton.store.objects.ManifestCompressor;
import dev.baton.store.scheduling.Await;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Writes the objects of manifests whose rows are committed. A periodic pass writes those that a
 * crash or an unavailable object store has prevented, once a minute. Every write of an object has
 * the same bytes, so they may overlap and repeat. Thread-safe.
 */
@ApplicationScoped
public class ManifestObjectWriter {
  private static final Logger LOG = Logger.getLogger(ManifestObjectWriter.class);
  private static final Duration INTERVAL = Duration.ofMinutes(1);

  static final String PENDING =
      """
      SELECT id, run, project, manifest, number FROM store.checkpoint
      WHERE object_pending AND NOT deleting AND number > $1 ORDER BY number LIMIT 20""";

  static final String PENDING_OF_RUN =
      """
      SELECT id, run, project, manifest, number FROM store.checkpoint
      WHERE run = $1 AND object_pending AND NOT deleting ORDER BY number""";

  // Returns a row unless the checkpoint was deleted while its object was written.
  static final String WRITTEN =
      """
      WITH written AS (
        UPDATE store.checkpoint SET object_pending = false
        WHERE id = $1 AND object_pending AND manifest = $2)
      SELECT id FROM store.checkpoint WHERE id = $1 AND manifest = $2 AND NOT deleting""";

  private final Pool pool;
  private final BucketClient bucket;
  private @Nullable PeriodicTask loop;

  ManifestObjectWriter(Pool pool, BucketClient bucket) {
    this.pool = pool;
    this.bucket = bucket;
  }

  void onStart(@Observes StartupEvent event) {
    loop = PeriodicTask.start("manifests", INTERVAL, this::writePending);
  }

  void onStop(@Observes ShutdownEvent event) {
    if (loop != null) {
      loop.close();
    }
  }

  /**
   * Writes the object of a committed manifest. Completes when the object is stored; the row is
   * updated afterwards, so that the caller does not wait for it.
   *
   * @return fails with UNAVAILABLE if the object store does not respond; a later pass retries
   */
  Uni<Void> write(CheckpointName name, byte[] manifest) {
    return put(name, manifest)
        .invoke(
            () ->
                settle(name, manifest)
                    .subscribe()
                    .with(
                        done -> {},
                        failure ->
                            LOG.debugf(
                                "checkpoint %s: could not record that its manifest is stored,"
                                    + " retrying in %s: %s",
                                name.id(), INTERVAL, failure)));
  }

  private Uni<Void> put(CheckpointName name, byte[] manifest) {
    return bucket.put(
        name.manifestKey(manifest), ManifestCompressor.compress(manifest), "application/gzip");
  }

  private Uni<Void> settle(CheckpointName name, byte[] manifest) {
    return pool.preparedQuery(WRITTEN)
        .execute(Tuple.of(name.id(), Buffer.buffer(manifest)))
        .chain(
            rows ->
                rows.size() > 0
                    ? Uni.createFrom().voidItem()
                    : bucket.remove(name.manifestKey(manifest)));
  }

  /** Writes the objects of the run's checkpoints that are not stored yet. Idempotent. */
  public Uni<Void> writeOf(String run) {
    return pool.preparedQuery(PENDING_OF_RUN).execute(Tuple.of(run)).chain(this::writeAll);
  }

  private Uni<Void> writeAll(RowSet<Row> rows) {
    Uni<Void> all = Uni.createFrom().voidItem();
    for (Row row : rows) {
      all = all.chain(() -> write(name(row), manifest(row)));
    }
    return all;
  }

  /** Writes all objects that are not stored yet. Blocks. */
  void writePending() {
    long after = 0;
    for (RowSet<Row> rows = pending(after); rows.size() > 0; rows = pending(after)) {
      for (Row row : rows) {
        Await.get(put(name(row), manifest(row)));
        Await.get(settle(name(row), manifest(row)));
        after = row.getLong(4);
      }
    }
  }

  private RowSet<Row> pending(long after) {
    return Await.get(pool.preparedQuery(PENDING).execute(Tuple.of(after)));
  }

  private static CheckpointName name(Row row) {
    return new CheckpointName(row.getString(2), row.getString(1), row.getString(0));
  }

  private static byte[] manifest(Row row) {
    return row.get(Buffer.class, 3).getBytes();
  }
}
