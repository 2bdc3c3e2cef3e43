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
 * runs: a transaction that holds the lock of a workflow's queue counts the active runs and admits
 * as many as the limit allows. Freed capacity and new queued runs wake it; it also checks every
 * second, since a wake-up is lost when its replica dies. Runs on every replica.
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

  private record QueueOf(String project, String workflow) {}

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
    for (QueueOf queue : queues()) {
      int admitted;
      do {
        admitted = on(pool.withTransaction(tx -> admit(tx, queue)));
        if (admitted > 0) {
          LOG.debugf("admitted %d runs of %s", admitted, queue);
          relay.wake();
        }
      } while (admitted == MOST_AT_ONCE && !looking.isStopping());
    }
  }

  private List<QueueOf> queues() {
    List<QueueOf> queues = new ArrayList<>();
    for (Row row :
        on(
            pool.preparedQuery(
                    """
                    SELECT DISTINCT project, workflow FROM orchestrator.run
                    WHERE queued_at IS NOT NULL AND workflow IS NOT NULL LIMIT $1""")
                .execute(Tuple.of(MOST_QUEUES)))) {
      queues.add(new QueueOf(row.getString("project"), row.getString("workflow")));
    }
    return queues;
  }

  /** Returns the number of admitted runs. */
  private Uni<Integer> admit(SqlConnection tx, QueueOf queue) {
    // In a separate statement, so that the next one sees all changes of the lock's last holder.
    return tx.preparedQuery("SELECT pg_advisory_xact_lock(hashtextextended($1, $2))")
        .execute(Tuple.of(queue.project() + "/" + queue.workflow(), LOCK_SPACE))
        .chain(() -> free(tx, queue))
        .chain(free -> free < 1 ? Uni.createFrom().item(0) : fill(tx, queue, free));
  }

  private static Uni<Integer> free(SqlConnection tx, QueueOf queue) {
    return tx.preparedQuery(
            """
            SELECT (SELECT c.runs FROM orchestrator.concurrency_limit c WHERE c.workflow = $2) AS places,
              (SELECT count(*) FROM orchestrator.run WHERE project = $1 AND workflow = $2 AND kind = 'managed'
                AND NOT ended AND queued_at IS NULL AND status <> 'paused') AS taken""")
        .execute(Tuple.of(queue.project(), queue.workflow()))
        .map(
            rows -> {
              Row row = rows.iterator().next();
              Integer places = row.getInteger("places");
              // The limit was removed: no run has to wait.
              long free = places == null ? MOST_AT_ONCE : places - row.getLong("taken");
              return (int) Math.max(0, Math.min(MOST_AT_ONCE, free));
            });
  }

  /** Admits runs; skips a run that another transaction has locked until the next round. */
  private Uni<Integer> fill(SqlConnection tx, QueueOf queue, int free) {
    return tx.preparedQuery(
            """
            SELECT id FROM orchestrator.run
            WHERE project = $1 AND workflow = $2 AND queued_at IS NOT NULL
              AND (deadline IS NULL OR deadline > now())
            ORDER BY priority DESC, queued_at, id LIMIT $3 FOR UPDATE SKIP LOCKED""")
        .execute(Tuple.of(queue.project(), queue.workflow(), free))
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
