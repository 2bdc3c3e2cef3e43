/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import dev.baton.sink.ControlSeqStore;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Reads the folded seqs: the column {@code control_seq} is ahead by events not read yet. */
final class FoldedControlSeqReader implements ControlSeqStore {
  private final Pool pool;

  FoldedControlSeqReader(Pool pool) {
    this.pool = pool;
  }

  @Override
  public Uni<Map<String, Long>> read(Set<String> runs) {
    return pool.preparedQuery(
            """
            SELECT id, (head::json ->> 'control_seq')::bigint AS seq FROM orchestrator.run
            WHERE id = ANY($1) AND head IS NOT NULL""")
        .execute(Tuple.of(runs.toArray(String[]::new)))
        .map(
            rows -> {
              Map<String, Long> seqs = new HashMap<>();
              for (Row row : rows) {
                seqs.put(row.getString("id"), row.getLong("seq"));
              }
              return seqs;
            });
  }
}
