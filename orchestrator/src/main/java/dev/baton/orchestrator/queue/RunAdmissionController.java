/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.queue;

import dev.baton.orchestrator.outbox.OutboxRelay;
import dev.baton.orchestrator.reconcile.RunObservation;
import dev.baton.orchestrator.reconcile.RunOutcome;
import dev.baton.orchestrator.reconcile.RunPlan;
import dev.baton.orchestrator.reconcile.RunTransaction;
import dev.baton.server.PeriodicTask;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jboss.logging.Logger;

/**
 * Admits queued runs: by priority, then by waiting time. To keep the limit, only this class admits
 * runs: a transaction that holds the lock of a project's queue counts the active runs and admits as
 * many as the limits of the project and of each workflow allow. Freed capacity and new queued runs
 * wake it; it also checks every second, since a wake-up is lost when its replica dies. Runs on
 * every replica.
 *
 * <pre>
 *   queued ──place──→ active ──→ ended, or paused: its place is free
 *     │ cancelled, deleted, past its deadline       │ resumed
 *     └→ out of the queue                           └→ queued
 * </pre>
 */
@ApplicationScoped
public class RunAdmissionController {
  private static final Logger LOG = Logger.getLogger(RunAdmissionController.class);
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final int MOST_QUEUES = 1_000;
  private static final int MOST_AT_ONCE = 500;

  // Next to the outbox's space of advisory locks.
  private static final long LOCK_SPACE = 0x6261746f6e71L;

  private final Pool pool;
  private final OutboxRelay relay;
  private final RunTransaction runs;
  private final PeriodicTask looking =
      new PeriodicTask("admission", EVERY, "queued runs: cannot be admitted, retrying", this::look);

  RunAdmissionController(Pool pool, OutboxRelay relay, RunTransaction runs) {
    this.runs = runs;
    this.pool = pool;
    this.relay = relay;
  }

  void onStart(@Observes @Priority(3000) StartupEvent event) {
    looking.start();
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    looking.stop();
  }

  /** Wakes the controller when a run was queued or capacity may be free. Never blocks. */
  public void wake() {
    looking.wake();
  }

  void onPlaces(@Observes WorkflowCapacityFreedEvent event) {
    wake();
  }

  private void look() {
    for (String project : projects()) {
      int admitted;
      do {
        admitted = on(pool.withTransaction(tx -> admit(tx, project)));
        if (admitted > 0) {
          LOG.debugf("admitted %d runs of project %s", admitted, project);
          relay.wake();
        }
      } while (admitted == MOST_AT_ONCE && !looking.isStopping());
    }
  }

  private List<String> projects() {
    List<String> projects = new ArrayList<>();
    for (Row row :
        on(
            pool.preparedQuery(
                    """
                    SELECT DISTINCT project FROM orchestrator.run
                    WHERE queued_at IS NOT NULL AND workflow IS NOT NULL LIMIT $1""")
                .execute(Tuple.of(MOST_QUEUES)))) {
      projects.add(row.getString("project"));
    }
    return projects;
  }

  /** Returns the number of admitted runs. */
  private Uni<Integer> admit(SqlConnection tx, String project) {
    // In a separate statement, so that the next one sees all changes of the lock's last holder.
    return tx.preparedQuery("SELECT pg_advisory_xact_lock(hashtextextended($1, $2))")
        .execute(Tuple.of(project, LOCK_SPACE))
        .chain(() -> lockWorkflows(tx, project))
        .chain(() -> free(tx, project))
        .chain(free -> free < 1 ? Uni.createFrom().item(0) : fill(tx, project, free));
  }

  /** Orchestrators of an earlier version, during an update, hold a lock for each workflow. */
  private static Uni<RowSet<Row>> lockWorkflows(SqlConnection tx, String project) {
    return tx.preparedQuery(
            """
            SELECT pg_advisory_xact_lock(hashtextextended($1 || '/' || q.workflow, $2))
            FROM (SELECT DISTINCT workflow FROM orchestrator.run
              WHERE project = $1 AND queued_at IS NOT NULL AND workflow IS NOT NULL
              ORDER BY workflow LIMIT $3) q""")
        .execute(Tuple.of(project, LOCK_SPACE, MOST_QUEUES));
  }

  /** Returns how many runs the limit of the project allows. */
  private static Uni<Integer> free(SqlConnection tx, String project) {
    return tx.preparedQuery(
            """
            SELECT p.runs AS places, (SELECT count(*) FROM orchestrator.run WHERE project = $1 AND kind = 'managed'
                AND NOT ended AND queued_at IS NULL AND status <> 'paused') AS taken
            FROM orchestrator.project p WHERE p.name = $1 AND p.runs IS NOT NULL""")
        .execute(Tuple.of(project))
        .map(
            rows -> {
              for (Row row : rows) {
                long free = row.getInteger("places") - row.getLong("taken");
                return (int) Math.max(0, Math.min(MOST_AT_ONCE, free));
              }
              return MOST_AT_ONCE;
            });
  }

  /**
   * Admits runs; skips a run that another transaction has locked until the next round. A workflow
   * whose limit was removed has room for all.
   */
  private Uni<Integer> fill(SqlConnection tx, String project, int free) {
    return tx.preparedQuery(
            """
            WITH room AS MATERIALIZED (
              SELECT q.workflow, coalesce((SELECT c.runs FROM orchestrator.concurrency_limit c WHERE c.workflow = q.workflow)
                - (SELECT count(*) FROM orchestrator.run t WHERE t.project = $1 AND t.workflow = q.workflow
                    AND t.kind = 'managed' AND NOT t.ended AND t.queued_at IS NULL AND t.status <> 'paused'), $2) AS free
              FROM (SELECT DISTINCT workflow FROM orchestrator.run
                WHERE project = $1 AND queued_at IS NOT NULL AND workflow IS NOT NULL LIMIT $3) q)
            SELECT next.id FROM room, LATERAL (
              SELECT id, priority, queued_at FROM orchestrator.run
              WHERE project = $1 AND workflow = room.workflow AND queued_at IS NOT NULL
                AND (deadline IS NULL OR deadline > now())
              ORDER BY priority DESC, queued_at, id LIMIT greatest(0, least(room.free, $2)) FOR UPDATE SKIP LOCKED) next
            ORDER BY next.priority DESC, next.queued_at, next.id LIMIT $2""")
        .execute(Tuple.of(project, (long) free, MOST_QUEUES))
        .chain(
            rows -> {
              Map<String, RunObservation> freed = new HashMap<>();
              rows.forEach(row -> freed.put(row.getString("id"), new RunObservation.PlaceFreed()));
              return freed.isEmpty()
                  ? Uni.createFrom().item(0)
                  : runs.performFree(tx, freed).map(RunAdmissionController::begun);
            });
  }

  private static int begun(Map<String, RunPlan> plans) {
    return (int)
        plans.values().stream()
            .filter(plan -> plan.outcome() instanceof RunOutcome.EpochBegun)
            .count();
  }

  private static <T> T on(Uni<T> uni) {
    return uni.await().atMost(SQL);
  }
}
