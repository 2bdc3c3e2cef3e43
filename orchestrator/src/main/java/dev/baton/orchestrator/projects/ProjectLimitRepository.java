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
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Stores projects in Postgres. Each statement takes at most 10 s. Thread-safe. */
@ApplicationScoped
class ProjectLimitRepository {
  private static final Duration SQL = Duration.ofSeconds(10);

  private static final String SELECT =
      """
      SELECT p.name, p.created_at, p.created_by, p.runs, p.waiting, p.rate,
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
            INSERT INTO orchestrator.project AS p (name, created_at, created_by, runs, waiting, rate)
            VALUES ($1, now(), $2, $3, $4, $5)
            ON CONFLICT (name) DO UPDATE SET runs = CASE WHEN $6 THEN excluded.runs ELSE p.runs END,
              waiting = CASE WHEN $6 THEN excluded.waiting ELSE p.waiting END,
              rate = CASE WHEN $6 THEN excluded.rate ELSE p.rate END
            RETURNING xmax = 0 AS fresh""")
        .execute(
            Tuple.tuple()
                .addString(name)
                .addString(by)
                .addInteger(set.runs())
                .addInteger(set.waiting())
                .addDouble(set.rate())
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

  private static List<ProjectView> views(RowSet<Row> rows) {
    List<ProjectView> views = new ArrayList<>();
    for (Row row : rows) {
      views.add(
          new ProjectView(
              row.getString("name"),
              row.getOffsetDateTime("created_at").withOffsetSameInstant(ZoneOffset.UTC).toInstant(),
              row.getString("created_by"),
              new ProjectLimits(
                  row.getInteger("runs"), row.getInteger("waiting"), row.getDouble("rate")),
              row.getLong("under_way"),
              row.getLong("queued"),
              row.getLong("all_runs")));
    }
    return views;
  }
}
