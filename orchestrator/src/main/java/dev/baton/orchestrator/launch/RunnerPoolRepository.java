/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.orchestrator.config.OrchestratorConfig;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Stores the pools that resources describe, so that every replica has them, also after a restart.
 * Methods block for one or two statements, at most 10 s each. Thread-safe.
 */
@ApplicationScoped
class RunnerPoolRepository {
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final String SELECT =
      """
      SELECT p.launcher, p.name, p.uid, p.namespace, p.definition, p.refusal_reason, p.refusal_detail, p.removed_at,
        (SELECT r.instance FROM orchestrator.replica r WHERE r.instance = p.refused_by) AS refused_by
      FROM orchestrator.runner_pool p\s""";

  /**
   * @param refusal of the last start; null when none was refused
   * @param refusedBy the live replica whose start was refused
   * @param removed whether its resource was deleted
   */
  record Entry(
      String launcher,
      String name,
      String uid,
      String namespace,
      String definition,
      @Nullable LaunchRefusal refusal,
      @Nullable String refusedBy,
      boolean removed) {}

  /**
   * All pools, and the position of this replica among the live ones.
   *
   * @param replicas at least 1
   */
  record Snapshot(List<Entry> pools, int replicas, int index) {}

  /**
   * The runners of a pool on all replicas.
   *
   * @param warm idle ones, with those that start
   * @param ready idle ones whose program runs
   * @param all live ones
   */
  record Counts(int warm, int ready, int all) {}

  private final Pool pool;
  private final String instance;

  RunnerPoolRepository(Pool pool, OrchestratorConfig config) {
    this.pool = pool;
    this.instance = config.instanceId();
  }

  /**
   * Stores a pool. The same resource under another launcher is another pool; the earlier one is
   * removed.
   *
   * @return whether a column has changed; empty when the name belongs to a resource of another
   *     namespace
   */
  Optional<Boolean> put(
      String launcher, String name, String uid, String namespace, String definition) {
    Row row =
        on(pool.preparedQuery(
                    """
                WITH moved AS (
                  UPDATE orchestrator.runner_pool SET removed_at = now()
                  WHERE uid = $3 AND (launcher, name) <> ($1, $2) AND removed_at IS NULL RETURNING 1),
                stored AS (
                  INSERT INTO orchestrator.runner_pool AS p (launcher, name, uid, namespace, definition) VALUES ($1, $2, $3, $4, $5)
                  ON CONFLICT (launcher, name) DO UPDATE SET uid = $3, namespace = $4, definition = $5, removed_at = NULL
                  WHERE (p.namespace = $4 OR p.removed_at IS NOT NULL)
                    AND ((p.uid, p.definition) <> ($3, $5) OR p.removed_at IS NOT NULL)
                  RETURNING 1)
                SELECT EXISTS (SELECT FROM moved) OR EXISTS (SELECT FROM stored) AS changed,
                  EXISTS (SELECT FROM orchestrator.runner_pool o WHERE o.launcher = $1 AND o.name = $2
                    AND o.namespace <> $4 AND o.removed_at IS NULL) AS foreign_owner""")
                .execute(Tuple.from(Arrays.asList(launcher, name, uid, namespace, definition))))
            .iterator()
            .next();
    return row.getBoolean("foreign_owner")
        ? Optional.empty()
        : Optional.of(row.getBoolean("changed"));
  }

  /** Marks a pool as removed; returns whether it was not. */
  boolean remove(String uid) {
    return on(pool.preparedQuery(
                    "UPDATE orchestrator.runner_pool SET removed_at = now() WHERE uid = $1 AND removed_at IS NULL")
                .execute(Tuple.of(uid)))
            .rowCount()
        > 0;
  }

  Optional<Entry> find(String uid) {
    return entries(
            on(
                pool.preparedQuery(SELECT + "WHERE uid = $1 AND removed_at IS NULL")
                    .execute(Tuple.of(uid))))
        .stream()
        .findFirst();
  }

  /** Returns the pools whose resources were in these namespaces and are not known to be deleted. */
  List<Entry> owned(Collection<String> namespaces) {
    return entries(
        on(
            pool.preparedQuery(SELECT + "WHERE namespace = ANY($1) AND removed_at IS NULL")
                .execute(Tuple.of(namespaces.toArray(String[]::new)))));
  }

  /** Returns all pools, also removed ones of which runners are left. */
  Snapshot read() {
    Row position =
        on(pool.preparedQuery(
                    """
                SELECT count(*)::int AS others, (count(*) FILTER (WHERE r.instance < $1))::int AS before
                FROM orchestrator.replica r WHERE r.instance <> $1""")
                .execute(Tuple.of(instance)))
            .iterator()
            .next();
    return new Snapshot(
        entries(on(pool.query(SELECT + "ORDER BY launcher, name").execute())),
        position.getInteger("others") + 1,
        position.getInteger("before"));
  }

  /** Stores why the last start of this replica was refused, or that none was. */
  void refused(String launcher, String name, @Nullable LaunchRefusal refusal) {
    on(
        pool.preparedQuery(
                """
                UPDATE orchestrator.runner_pool SET refusal_reason = $3, refusal_detail = $4,
                  refused_by = CASE WHEN $3::text IS NOT NULL THEN $5 END
                WHERE launcher = $1 AND name = $2""")
            .execute(
                Tuple.from(
                    Arrays.asList(
                        launcher,
                        name,
                        refusal == null ? null : refusal.reason(),
                        refusal == null ? null : refusal.detail(),
                        instance))));
  }

  Counts counts(String launcher, String name) {
    Row row =
        on(pool.preparedQuery(
                    """
                SELECT (count(*) FILTER (WHERE mode = 'warm' AND run IS NULL))::int AS warm,
                  (count(*) FILTER (WHERE mode = 'warm' AND run IS NULL AND phase = 'running'))::int AS ready,
                  count(*)::int AS all_runners
                FROM orchestrator.runner WHERE launcher = $1 AND pool = $2 AND state <> 'exited'""")
                .execute(Tuple.of(launcher, name)))
            .iterator()
            .next();
    return new Counts(
        row.getInteger("warm"), row.getInteger("ready"), row.getInteger("all_runners"));
  }

  /** Deletes removed pools of which no runner is left. */
  void clean() {
    on(
        pool.query(
                """
                DELETE FROM orchestrator.runner_pool p WHERE p.removed_at < now() - interval '1 minute'
                  AND NOT EXISTS (SELECT FROM orchestrator.runner r
                    WHERE r.launcher = p.launcher AND r.pool = p.name AND r.state <> 'exited')""")
            .execute());
  }

  private static List<Entry> entries(RowSet<Row> rows) {
    List<Entry> entries = new ArrayList<>();
    for (Row row : rows) {
      String reason = row.getString("refusal_reason");
      entries.add(
          new Entry(
              row.getString("launcher"),
              row.getString("name"),
              row.getString("uid"),
              row.getString("namespace"),
              row.getString("definition"),
              reason == null ? null : new LaunchRefusal(reason, row.getString("refusal_detail")),
              row.getString("refused_by"),
              row.getValue("removed_at") != null));
    }
    return entries;
  }

  private static <T> T on(Uni<T> uni) {
    return uni.await().atMost(SQL);
  }
}
