/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projects;

import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.protocol.identity.ProjectScope;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Stores projects in Postgres. Each statement takes at most 10 s. Thread-safe. */
@ApplicationScoped
class ProjectLimitRepository {
  private static final Duration SQL = Duration.ofSeconds(10);

  private static final String SELECT =
      """
      SELECT p.name, p.created_at, p.created_by, p.runs, p.waiting, p.rate, p.storage_bytes,
        CASE WHEN p.storage_bytes IS NOT NULL THEN p.stored_bytes END AS stored_bytes,
        (SELECT count(*) FROM orchestrator.run r WHERE r.project = p.name AND r.kind = 'managed' AND NOT r.ended
          AND r.queued_at IS NULL AND r.status <> 'paused') AS under_way,
        (SELECT count(*) FROM orchestrator.run r WHERE r.project = p.name AND r.queued_at IS NOT NULL) AS queued,
        (SELECT count(*) FROM orchestrator.run r WHERE r.project = p.name) AS all_runs
      FROM orchestrator.project p
      """;

  private final Pool pool;

  ProjectLimitRepository(Pool pool) {
    this.pool = pool;
  }

  /** Returns a page in the order of names, of the projects in the scope. */
  Uni<List<ProjectView>> list(ProjectScope scope, @Nullable String after, int limit) {
    return pool.preparedQuery(
            SELECT
                + "WHERE ($1::text[] IS NULL OR p.name = ANY ($1)) AND p.name > $2"
                + " ORDER BY p.name LIMIT $3")
        .execute(
            Tuple.tuple()
                .addArrayOfString(ProjectAccess.names(scope))
                .addString(after == null ? "" : after)
                .addInteger(limit))
        .ifNoItem()
        .after(SQL)
        .fail()
        .map(ProjectLimitRepository::views);
  }

  /** Returns the project if it exists in the scope. */
  Uni<Optional<ProjectView>> find(String name, ProjectScope scope) {
    return pool.preparedQuery(
            SELECT + "WHERE p.name = $1 AND ($2::text[] IS NULL OR p.name = ANY ($2))")
        .execute(Tuple.tuple().addString(name).addArrayOfString(ProjectAccess.names(scope)))
        .ifNoItem()
        .after(SQL)
        .fail()
        .map(rows -> views(rows).stream().findFirst());
  }

  /**
   * Creates a project or sets its limits.
   *
   * @param limits null: those that it has, or none
   * @return whether it is new
   */
  Uni<Boolean> put(String name, String by, @Nullable ProjectLimits limits) {
    ProjectLimits set = limits == null ? ProjectLimits.NONE : limits;
    return pool.preparedQuery(
            """
            INSERT INTO orchestrator.project AS p (name, created_at, created_by, runs, waiting, rate, storage_bytes)
            VALUES ($1, now(), $2, $3, $4, $5, $6)
            ON CONFLICT (name) DO UPDATE SET runs = CASE WHEN $7 THEN excluded.runs ELSE p.runs END,
              waiting = CASE WHEN $7 THEN excluded.waiting ELSE p.waiting END,
              rate = CASE WHEN $7 THEN excluded.rate ELSE p.rate END,
              storage_bytes = CASE WHEN $7 THEN excluded.storage_bytes ELSE p.storage_bytes END,
              measured_at = CASE WHEN $7 THEN NULL ELSE p.measured_at END
            RETURNING xmax = 0 AS fresh""")
        .execute(
            Tuple.tuple()
                .addString(name)
                .addString(by)
                .addInteger(set.runs())
                .addInteger(set.waiting())
                .addDouble(set.rate())
                .addLong(set.storageBytes())
                .addBoolean(limits != null))
        .ifNoItem()
        .after(SQL)
        .fail()
        .map(rows -> rows.iterator().next().getBoolean("fresh"));
  }

  /**
   * Deletes a project without runs.
   *
   * @return the number of its runs, with which it is not deleted; empty when it does not exist
   */
  Uni<Optional<Long>> delete(String name) {
    return pool.withTransaction(tx -> delete(tx, name)).ifNoItem().after(SQL).fail();
  }

  private static Uni<Optional<Long>> delete(SqlConnection tx, String name) {
    // The lock keeps back creations, which see afterwards that the project is gone.
    return tx.preparedQuery("SELECT 1 FROM orchestrator.project WHERE name = $1 FOR UPDATE")
        .execute(Tuple.of(name))
        .chain(
            found ->
                found.size() == 0
                    ? Uni.createFrom().item(Optional.<Long>empty())
                    : tx.preparedQuery(
                            """
                            WITH n AS (SELECT count(*) AS runs FROM orchestrator.run WHERE project = $1),
                            d AS (DELETE FROM orchestrator.project WHERE name = $1 AND (SELECT runs FROM n) = 0)
                            SELECT runs FROM n""")
                        .execute(Tuple.of(name))
                        .map(rows -> Optional.of(rows.iterator().next().getLong("runs"))));
  }

  /**
   * Claims limited projects that no replica has measured within this time.
   *
   * @param most maximum number of them
   */
  Uni<List<String>> claimMeasurements(Duration every, int most) {
    // Locked in the order of names, as by creations, and without SKIP LOCKED: the rows of the
    // busiest projects are almost always locked.
    return pool.preparedQuery(
            """
            WITH due AS MATERIALIZED (
              SELECT name FROM orchestrator.project
              WHERE storage_bytes IS NOT NULL
                AND (measured_at IS NULL OR measured_at <= clock_timestamp() - interval '1 millisecond' * $1::bigint)
              ORDER BY name LIMIT $2 FOR UPDATE)
            UPDATE orchestrator.project p SET measured_at = clock_timestamp() FROM due WHERE p.name = due.name
            RETURNING p.name""")
        .execute(Tuple.of(every.toMillis(), most))
        .ifNoItem()
        .after(SQL)
        .fail()
        .map(
            rows -> {
              List<String> names = new ArrayList<>();
              rows.forEach(row -> names.add(row.getString("name")));
              return names;
            });
  }

  /** Stores how many bytes the checkpoints of each project keep. */
  Uni<Void> storeMeasurements(Map<String, Long> bytes) {
    return pool.preparedQuery(
            """
            WITH locked AS MATERIALIZED (
              SELECT p.name, g.bytes FROM orchestrator.project p
              JOIN unnest($1::text[], $2::bigint[]) AS g(name, bytes) ON g.name = p.name
              ORDER BY p.name FOR UPDATE OF p)
            UPDATE orchestrator.project p SET stored_bytes = locked.bytes FROM locked WHERE p.name = locked.name""")
        .execute(
            Tuple.tuple()
                .addArrayOfString(bytes.keySet().toArray(String[]::new))
                .addArrayOfLong(bytes.values().toArray(Long[]::new)))
        .ifNoItem()
        .after(SQL)
        .fail()
        .replaceWithVoid();
  }

  private static List<ProjectView> views(RowSet<Row> rows) {
    List<ProjectView> views = new ArrayList<>();
    for (Row row : rows) {
      views.add(
          new ProjectView(
              row.getString("name"),
              row.getOffsetDateTime("created_at").withOffsetSameInstant(ZoneOffset.UTC).toInstant(),
              row.getString("created_by"),
              ProjectLimits.of(row),
              row.getLong("under_way"),
              row.getLong("queued"),
              row.getLong("all_runs"),
              row.getLong("stored_bytes")));
    }
    return views;
  }
}
