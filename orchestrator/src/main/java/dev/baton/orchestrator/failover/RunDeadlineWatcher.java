/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import dev.baton.orchestrator.outbox.OutboxRelay;
import dev.baton.orchestrator.queue.QueuedStart;
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
import java.util.List;
import org.jboss.logging.Logger;

/**
 * Ends runs that are past their deadline and that no runner ends: queued ones, paused ones, those
 * that wait for a slot, and, after a grace period, those whose runner should have ended them.
 * Checks every second on every replica; a run that two replicas find is ended once.
 */
@ApplicationScoped
class RunDeadlineWatcher {
  private static final Logger LOG = Logger.getLogger(RunDeadlineWatcher.class);
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final int MOST = 500;

  /** Time for a runner to end a step, save its files and report the end. */
  private static final Duration GRACE = Duration.ofSeconds(30);

  /** Reason of {@code run_lost}. */
  static final String REASON = "deadline_exceeded";

  private static final String OVERDUE =
      """
      kind = 'managed' AND deadline <= now() AND (NOT ended OR queued_at IS NOT NULL)
        AND (queued_at IS NOT NULL OR desired NOT IN ('cancelled', 'lost') AND (runner_id IS NULL OR status = 'paused'
          OR deadline <= now() - interval '1 millisecond' * $1::bigint))""";

  private final Pool pool;
  private final OutboxRelay relay;
  private final PeriodicTask looking =
      new PeriodicTask("deadlines", EVERY, "deadlines: cannot be checked, retrying", this::look);

  RunDeadlineWatcher(Pool pool, OutboxRelay relay) {
    this.pool = pool;
    this.relay = relay;
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
                .execute(Tuple.of(GRACE.toMillis(), MOST)))) {
      overdue.add(row.getString("id"));
    }
    for (String run : overdue) {
      if (on(pool.withTransaction(tx -> end(tx, run)))) {
        LOG.infof("run %s is past its deadline", run);
        relay.wake();
      }
    }
  }

  /** Returns false when another replica has ended it. */
  private static Uni<Boolean> end(SqlConnection tx, String run) {
    return tx.preparedQuery(
            "SELECT ended, epoch, control_seq, deadline FROM orchestrator.run WHERE "
                + OVERDUE
                + " AND id = $2 FOR UPDATE")
        .execute(Tuple.of(GRACE.toMillis(), run))
        .chain(
            rows -> {
              for (Row row : rows) {
                return end(tx, run, row).replaceWith(true);
              }
              return Uni.createFrom().item(false);
            });
  }

  private static Uni<Void> end(SqlConnection tx, String run, Row row) {
    // An ended run that was queued to be resumed only leaves the queue.
    Uni<Void> unqueued = QueuedStart.withdraw(tx, run);
    return row.getBoolean("ended")
        ? unqueued
        : unqueued.chain(
            () ->
                FailoverService.lose(
                    tx,
                    run,
                    row,
                    REASON,
                    "the deadline was " + row.getOffsetDateTime("deadline").toInstant()));
  }

  private static <T> T on(Uni<T> uni) {
    return uni.await().atMost(SQL);
  }
}
