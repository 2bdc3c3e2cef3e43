/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.parking;

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
 * Enqueues parked runs that are due. Checks every 500 ms on every replica. An answer resumes its
 * run without this watcher.
 */
@ApplicationScoped
class ParkedRunWatcher {
  private static final Duration EVERY = Duration.ofMillis(500);
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final int MOST = 500;

  private final Pool pool;
  private final RunReconciler reconciler;
  private final PeriodicTask looking =
      new PeriodicTask(
          "parked-runs", EVERY, "parked runs: cannot be checked, retrying", this::look);

  ParkedRunWatcher(Pool pool, RunReconciler reconciler) {
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
    List<String> due = new ArrayList<>();
    for (Row row :
        on(
            pool.preparedQuery(
                    "SELECT run FROM orchestrator.parked WHERE resume_at <= now() ORDER BY resume_at LIMIT $1")
                .execute(Tuple.of(MOST)))) {
      due.add(row.getString("run"));
    }
    on(reconciler.timePassed(due));
  }

  private static <T> T on(Uni<T> uni) {
    return uni.await().atMost(SQL);
  }
}
