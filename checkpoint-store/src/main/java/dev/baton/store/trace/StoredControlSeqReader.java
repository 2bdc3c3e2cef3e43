/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.sink.ControlSeqStore;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Reads the last stored seqs, by the primary key. */
final class StoredControlSeqReader implements ControlSeqStore {
  private final Pool pool;

  StoredControlSeqReader(Pool pool) {
    this.pool = pool;
  }

  @Override
  public Uni<Map<String, Long>> read(Set<String> runs) {
    return pool.preparedQuery(
            """
            SELECT e.run, max(e.seq) AS seq FROM store.event e
            WHERE e.run = ANY($1) AND e.lane = 0 GROUP BY e.run""")
        .execute(Tuple.of(runs.toArray(String[]::new)))
        .map(
            rows -> {
              Map<String, Long> seqs = new HashMap<>();
              for (Row row : rows) {
                seqs.put(row.getString("run"), row.getLong("seq"));
              }
              return seqs;
            });
  }
}
