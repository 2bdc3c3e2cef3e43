/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import dev.baton.orchestrator.reconcile.RunPlanner;
import dev.baton.orchestrator.reconcile.RunReconciler;
import dev.baton.server.PeriodicTask;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Enqueues runs that are past their deadline and that no runner ends: queued ones, paused ones,
 * those that wait for a slot, and, after a grace period, those whose runner should have ended them.
 * Checks every second on every replica.
 */
@ApplicationScoped
class RunDeadlineWatcher {
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final int MOST = 500;

  /** Finds candidates; the plan decides. */
  private static final String OVERDUE =
      """
      kind = 'managed' AND deadline <= now() AND (NOT ended OR queued_at IS NOT NULL)
        AND (queued_at IS NOT NULL OR desired NOT IN ('cancelled', 'lost') AND (runner_id IS NULL OR status = 'paused'
          OR deadline <= now() - interval '1 millisecond' * $1::bigint))""";

  private final Pool pool;
  private final RunReconciler reconciler;
  private final PeriodicTask looking =
      new PeriodicTask("deadlines", EVERY, "deadlines: cannot be checked, retrying", this::look);

  RunDeadlineWatcher(Pool pool, RunReconciler reconciler) {
    this.pool = pool;
    this.reconciler = reconciler;
  }

  void onStart(@Observes @Priority(3000) StartupEvent event) {
    looking.start();
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    looking.stop();
  }

  private void look() {
    List<String> overdue = new ArrayList<>();
    for (Row row :
        on(
            pool.preparedQuery(
                    "SELECT id FROM orchestrator.run WHERE "
                        + OVERDUE
                        + " ORDER BY deadline LIMIT $2")
                .execute(Tuple.of(RunPlanner.GRACE.toMillis(), MOST)))) {
      overdue.add(row.getString("id"));
    }
    on(reconciler.timePassed(overdue));
  }

  private static <T> T on(Uni<T> uni) {
    return uni.await().atMost(SQL);
  }
}
