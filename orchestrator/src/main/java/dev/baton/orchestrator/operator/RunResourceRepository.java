/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.operator;

import dev.baton.operator.ResourceKey;
import dev.baton.operator.RunDeletionPolicy;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Reads and changes which runs belong to resources of a cluster. Thread-safe. */
@ApplicationScoped
class RunResourceRepository {
  private static final int MOST = 10_000;

  private static final String SELECT =
      "SELECT x.uid, x.run, x.namespace, x.name, x.on_delete, x.released_at IS NOT NULL AS released"
          + " FROM orchestrator.run_resource x ";

  /**
   * @param released whether the resource is known to be deleted
   */
  record Entry(ResourceKey resource, String run, RunDeletionPolicy onDelete, boolean released) {}

  private final Pool pool;

  RunResourceRepository(Pool pool) {
    this.pool = pool;
  }

  /** Returns the stored word of a policy. */
  static String word(RunDeletionPolicy policy) {
    return policy.name().toLowerCase(Locale.ROOT);
  }

  /** Returns at most one entry. */
  Uni<List<Entry>> find(String uid) {
    return pool.preparedQuery(SELECT + "WHERE x.uid = $1")
        .execute(Tuple.of(uid))
        .map(RunResourceRepository::entries);
  }

  /** Returns the runs whose resources are not known to be deleted, at most 10,000. */
  Uni<List<Entry>> owned(Collection<String> namespaces) {
    return pool.preparedQuery(
            SELECT + "WHERE x.namespace = ANY($1) AND x.released_at IS NULL LIMIT $2")
        .execute(Tuple.of(namespaces.toArray(String[]::new), MOST))
        .map(RunResourceRepository::entries);
  }

  /** Like {@link #owned}, those that have not ended. */
  Uni<List<Entry>> active(Collection<String> namespaces) {
    return pool.preparedQuery(
            SELECT
                + "JOIN orchestrator.run r ON r.id = x.run"
                + " WHERE x.namespace = ANY($1) AND x.released_at IS NULL AND NOT r.ended LIMIT $2")
        .execute(Tuple.of(namespaces.toArray(String[]::new), MOST))
        .map(RunResourceRepository::entries);
  }

  Uni<Void> keepDeletionPolicy(String uid, RunDeletionPolicy policy) {
    return pool.preparedQuery(
            "UPDATE orchestrator.run_resource SET on_delete = $2 WHERE uid = $1 AND on_delete <> $2")
        .execute(Tuple.of(uid, word(policy)))
        .replaceWithVoid();
  }

  Uni<Void> release(String uid) {
    return pool.preparedQuery(
            "UPDATE orchestrator.run_resource SET released_at = now() WHERE uid = $1 AND released_at IS NULL")
        .execute(Tuple.of(uid))
        .replaceWithVoid();
  }

  private static List<Entry> entries(RowSet<Row> rows) {
    List<Entry> entries = new ArrayList<>();
    for (Row row : rows) {
      entries.add(
          new Entry(
              new ResourceKey(
                  row.getString("uid"), row.getString("namespace"), row.getString("name")),
              row.getString("run"),
              RunDeletionPolicy.valueOf(row.getString("on_delete").toUpperCase(Locale.ROOT)),
              row.getBoolean("released")));
    }
    return entries;
  }
}
