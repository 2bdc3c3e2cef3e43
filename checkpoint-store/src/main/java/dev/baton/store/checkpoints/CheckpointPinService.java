/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.checkpoints;

import dev.baton.protocol.json.Json;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.objects.CheckpointName;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;

/** Pins checkpoints on a person's request, so that they are not deleted. Thread-safe. */
@ApplicationScoped
public class CheckpointPinService {
  private static final int LONGEST_REASON = 1_000;

  static final String PIN =
      """
      UPDATE store.checkpoint SET pinned_at = coalesce(pinned_at, now()), pinned_by = $2,
        pin_reason = $3
      WHERE id = $1 AND NOT deleting RETURNING project, run""";
  static final String UNPIN =
      """
      UPDATE store.checkpoint SET pinned_at = NULL, pinned_by = NULL, pin_reason = NULL
      WHERE id = $1 AND NOT deleting RETURNING project, run""";

  /** The content of a pin's object: the user and the reason. */
  public record Pin(String by, String reason) {}

  private final Pool pool;
  private final BucketClient bucket;

  CheckpointPinService(Pool pool, BucketClient bucket) {
    this.pool = pool;
    this.bucket = bucket;
  }

  public Uni<Void> pin(String id, String by, String reason) {
    if (reason.length() > LONGEST_REASON || by.length() > LONGEST_REASON) {
      return Uni.createFrom()
          .failure(
              StoreRequestException.invalid(
                  "reason and by are at most %d characters each".formatted(LONGEST_REASON)));
    }
    return change(id, PIN, Tuple.of(id, by, reason))
        .chain(row -> bucket.put(pinKey(row, id), Json.bytes(new Pin(by, reason))));
  }

  public Uni<Void> unpin(String id) {
    return change(id, UNPIN, Tuple.of(id)).chain(row -> bucket.remove(pinKey(row, id)));
  }

  private static String pinKey(Row row, String id) {
    return new CheckpointName(row.getString(0), row.getString(1), id).pinKey();
  }

  private Uni<Row> change(String id, String statement, Tuple values) {
    return pool.preparedQuery(statement)
        .execute(values)
        .map(
            rows -> {
              if (rows.size() == 0) {
                throw StoreRequestException.notFound(
                    "checkpoint '%s' does not exist".formatted(id));
              }
              return rows.iterator().next();
            });
  }
}
