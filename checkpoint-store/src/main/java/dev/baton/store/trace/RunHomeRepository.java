/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.sink.RunHome;
import dev.baton.sink.RunHomeStore;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Stores the home partitions of runs, and what their events need. */
@ApplicationScoped
class RunHomeRepository implements RunHomeStore {
  private final Pool pool;

  RunHomeRepository(Pool pool) {
    this.pool = pool;
  }

  @Override
  public Uni<Map<String, RunHome>> read(Set<String> runs) {
    return pool.preparedQuery(
            "SELECT run, partition, signed, needs_lease FROM store.run_home WHERE run = ANY($1)")
        .execute(Tuple.of(runs.toArray(String[]::new)))
        .map(RunHomeRepository::homes);
  }

  @Override
  public Uni<Map<String, RunHome>> claim(Map<String, RunHome> begun) {
    List<Map.Entry<String, RunHome>> rows =
        begun.entrySet().stream().sorted(Map.Entry.comparingByKey()).toList();
    // The update changes nothing: it returns the row of another consumer that was first.
    return pool.preparedQuery(
            """
            INSERT INTO store.run_home AS h (run, partition, signed, needs_lease)
            SELECT * FROM unnest($1::text[], $2::integer[], $3::boolean[], $4::boolean[])
            ON CONFLICT (run) DO UPDATE SET partition = h.partition
            RETURNING run, partition, signed, needs_lease""")
        .execute(
            Tuple.of(
                rows.stream().map(Map.Entry::getKey).toArray(String[]::new),
                rows.stream().map(row -> row.getValue().partition()).toArray(Integer[]::new),
                rows.stream().map(row -> row.getValue().isSigned()).toArray(Boolean[]::new),
                rows.stream().map(row -> row.getValue().needsLease()).toArray(Boolean[]::new)))
        .map(RunHomeRepository::homes);
  }

  private static Map<String, RunHome> homes(RowSet<Row> rows) {
    Map<String, RunHome> homes = new HashMap<>();
    rows.forEach(
        row ->
            homes.put(
                row.getString("run"),
                new RunHome(
                    row.getInteger("partition"),
                    row.getBoolean("signed"),
                    row.getBoolean("needs_lease"))));
    return homes;
  }
}
