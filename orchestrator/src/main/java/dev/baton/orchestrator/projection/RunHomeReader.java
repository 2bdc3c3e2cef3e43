/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import dev.baton.sink.HomePartitionGuard;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Reads home partitions from the run table. A run that begins on the log has no row yet: the
 * projection stores its home with the row.
 */
final class RunHomeReader implements HomePartitionGuard.HomeStore {
  private final Pool pool;

  RunHomeReader(Pool pool) {
    this.pool = pool;
  }

  @Override
  public Uni<Map<String, Integer>> read(Set<String> runs) {
    return pool.preparedQuery(
            """
            SELECT id, home_partition FROM orchestrator.run
            WHERE id = ANY($1) AND home_partition IS NOT NULL""")
        .execute(Tuple.of(runs.toArray(String[]::new)))
        .map(
            rows -> {
              Map<String, Integer> homes = new HashMap<>();
              rows.forEach(row -> homes.put(row.getString("id"), row.getInteger("home_partition")));
              return homes;
            });
  }

  @Override
  public Uni<Map<String, Integer>> claim(Map<String, Integer> begun) {
    return Uni.createFrom().item(begun);
  }
}
