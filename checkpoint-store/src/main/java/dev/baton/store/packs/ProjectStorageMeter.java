/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.packs;

import dev.baton.store.failure.StoreRequestException;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** Measures how many bytes the checkpoints of projects keep in the bucket. Thread-safe. */
@ApplicationScoped
public class ProjectStorageMeter {
  /** Maximum projects of a request. */
  public static final int MOST = 1_000;

  // A pack counts from the commit of its first checkpoint to the deletion of its last one. With
  // LIMIT the planner looks up each pack by key instead of reading the packs of all checkpoints.
  static final String MEASURE =
      """
      SELECT g.name, coalesce((
        SELECT sum(k.size_bytes) FROM store.pack k
        WHERE k.project = (SELECT p.id FROM store.project p WHERE p.name = g.name) AND k.state = 1
          AND (SELECT 1 FROM store.checkpoint_pack c WHERE c.pack = k.id LIMIT 1) IS NOT NULL
        ), 0)::bigint
      FROM unnest($1::text[]) AS g(name)""";

  private final Pool pool;

  ProjectStorageMeter(Pool pool) {
    this.pool = pool;
  }

  /**
   * Returns the bytes of each project; 0 for one without checkpoints.
   *
   * @param projects distinct names, at most {@value #MOST}; more fail with INVALID
   */
  public Uni<Map<String, Long>> measure(Collection<String> projects) {
    if (projects.size() > MOST) {
      return Uni.createFrom()
          .failure(
              StoreRequestException.invalid(
                  "%d projects are too many; allowed: at most %d"
                      .formatted(projects.size(), MOST)));
    }
    return pool.preparedQuery(MEASURE)
        .execute(Tuple.tuple().addArrayOfString(projects.toArray(String[]::new)))
        .map(
            rows -> {
              Map<String, Long> bytes = new LinkedHashMap<>();
              for (Row row : rows) {
                bytes.put(row.getString(0), row.getLong(1));
              }
              return bytes;
            });
  }
}
