/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlClient;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** Deletes the rows of a run from this service's database. Thread-safe. */
@ApplicationScoped
class OrchestratorRunRepository {
  /** Ordered by foreign keys. The last one deletes the run itself. */
  private static final List<String> STATEMENTS =
      List.of(
          "DELETE FROM orchestrator.approval WHERE run = $1",
          "DELETE FROM orchestrator.outbox WHERE run = $1",
          "DELETE FROM orchestrator.deferred_signal WHERE run = $1",
          "DELETE FROM orchestrator.runner WHERE run = $1",
          "DELETE FROM orchestrator.notification WHERE run = $1",
          "DELETE FROM orchestrator.run_resource WHERE run = $1",
          "DELETE FROM orchestrator.idempotency WHERE location = '/runs/' || $1",
          "DELETE FROM orchestrator.run WHERE id = $1");

  private static final String MARKED =
      "SELECT ended AND deleting AS marked FROM orchestrator.run WHERE id = $1 FOR UPDATE";

  private static final String COUNT =
      """
      SELECT (SELECT count(*) FROM orchestrator.approval WHERE run = $1)
        + (SELECT count(*) FROM orchestrator.outbox WHERE run = $1)
        + (SELECT count(*) FROM orchestrator.deferred_signal WHERE run = $1)
        + (SELECT count(*) FROM orchestrator.runner WHERE run = $1)
        + (SELECT count(*) FROM orchestrator.notification WHERE run = $1)
        + (SELECT count(*) FROM orchestrator.run_resource WHERE run = $1)
        + (SELECT count(*) FROM orchestrator.idempotency WHERE location = '/runs/' || $1)
        + (SELECT count(*) FROM orchestrator.run WHERE id = $1) AS n""";

  /** Number of rows deleted, and number of rows counted afterwards. */
  record Erased(long deleted, long left) {}

  private final Pool pool;

  OrchestratorRunRepository(Pool pool) {
    this.pool = pool;
  }

  /**
   * Marks the run as being deleted, after which it cannot be resumed. Fails with a problem while
   * the run is active, or its last runner's process still exists. Idempotent.
   */
  Uni<Void> markDeleting(String run) {
    return pool.withTransaction(
        tx ->
            tx.preparedQuery(
                    """
                    SELECT r.ended, r.status, r.queued_at, (SELECT p.id FROM orchestrator.runner p
                      WHERE p.run = r.id AND p.state <> 'exited' LIMIT 1) AS runner
                    FROM orchestrator.run r WHERE r.id = $1 FOR UPDATE OF r""")
                .execute(Tuple.of(run))
                .invoke(rows -> rows.forEach(row -> check(run, row)))
                .chain(() -> setDeleting(tx, run, true)));
  }

  /** Allows the run to be resumed again: nothing of it was deleted. */
  Uni<Void> unmarkDeleting(String run) {
    return setDeleting(pool, run, false);
  }

  private static Uni<Void> setDeleting(SqlClient client, String run, boolean deleting) {
    return client
        .preparedQuery("UPDATE orchestrator.run SET deleting = $2 WHERE id = $1")
        .execute(Tuple.of(run, deleting))
        .replaceWithVoid();
  }

  private static void check(String run, Row row) {
    if (!row.getBoolean("ended")) {
      throw new ProblemException(
          ProblemKind.CONFLICT,
          "run %s is %s: only an ended run can be deleted; cancel it first"
              .formatted(run, row.getString("status")));
    }
    if (row.getOffsetDateTime("queued_at") != null) {
      throw new ProblemException(
          ProblemKind.CONFLICT, "run %s is queued to be resumed; cancel that first".formatted(run));
    }
    if (row.getString("runner") != null) {
      throw new ProblemException(
          ProblemKind.CONFLICT,
          "run %s has ended, its runner %s has not: try again in a moment"
              .formatted(run, row.getString("runner")));
    }
  }

  /** Deletes the rows of a run that is marked as being deleted. Idempotent. */
  Uni<Erased> erase(String run) {
    return pool.withTransaction(
            tx ->
                tx.preparedQuery(MARKED)
                    .execute(Tuple.of(run))
                    .invoke(rows -> rows.forEach(row -> checkMarked(run, row)))
                    .chain(() -> erase(tx, run, 0, 0)))
        .chain(
            deleted ->
                pool.preparedQuery(COUNT)
                    .execute(Tuple.of(run))
                    .map(rows -> new Erased(deleted, count(rows))));
  }

  private static void checkMarked(String run, Row row) {
    if (!row.getBoolean("marked")) {
      throw new ProblemException(
          ProblemKind.CONFLICT,
          "run %s was changed while it was being deleted: delete it again".formatted(run));
    }
  }

  private static Uni<Long> erase(SqlConnection tx, String run, int next, long before) {
    if (next == STATEMENTS.size()) {
      return Uni.createFrom().item(before);
    }
    return tx.preparedQuery(STATEMENTS.get(next))
        .execute(Tuple.of(run))
        .chain(rows -> erase(tx, run, next + 1, before + rows.rowCount()));
  }

  private static long count(RowSet<Row> rows) {
    return rows.iterator().next().getLong("n");
  }
}
