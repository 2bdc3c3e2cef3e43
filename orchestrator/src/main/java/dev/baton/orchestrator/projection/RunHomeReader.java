/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import dev.baton.sink.RunHome;
import dev.baton.sink.RunHomeStore;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Reads the homes of runs from the run table. A run that begins on the log has no row yet, and one
 * that was created while Kafka was not available has no home in it: the projection stores it.
 */
final class RunHomeReader implements RunHomeStore {
  private static final String HOMES =
      """
      SELECT id, home_partition, signed, signed AND kind = 'managed' AS needs_lease FROM orchestrator.run
      WHERE id = ANY($1)""";

  private final Pool pool;

  RunHomeReader(Pool pool) {
    this.pool = pool;
  }

  @Override
  public Uni<Map<String, RunHome>> read(Set<String> runs) {
    return homes(runs, Map.of());
  }

  /** Returns the begun homes with what the rows require: those without a row require nothing. */
  @Override
  public Uni<Map<String, RunHome>> claim(Map<String, RunHome> begun) {
    Map<String, RunHome> unsigned = new HashMap<>();
    begun.forEach((run, home) -> unsigned.put(run, new RunHome(home.partition(), false, false)));
    return homes(begun.keySet(), unsigned);
  }

  /**
   * @param otherwise the homes of runs without one in the table
   */
  private Uni<Map<String, RunHome>> homes(Set<String> runs, Map<String, RunHome> otherwise) {
    return pool.preparedQuery(HOMES)
        .execute(Tuple.of(runs.toArray(String[]::new)))
        .map(
            rows -> {
              Map<String, RunHome> homes = new HashMap<>(otherwise);
              for (Row row : rows) {
                String run = row.getString("id");
                RunHome begun = otherwise.get(run);
                Integer stored = row.getInteger("home_partition");
                Integer partition = stored != null || begun == null ? stored : begun.partition();
                if (partition != null) {
                  homes.put(
                      run,
                      new RunHome(
                          partition, row.getBoolean("signed"), row.getBoolean("needs_lease")));
                }
              }
              return homes;
            });
  }
}
