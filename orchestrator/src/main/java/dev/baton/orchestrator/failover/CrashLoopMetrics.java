/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import dev.baton.orchestrator.reconcile.RunPlanner;
import dev.baton.server.PeriodicTask;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the runs whose runners end repeatedly without completing a step. */
@ApplicationScoped
public class CrashLoopMetrics {
  private static final Duration EVERY = Duration.ofSeconds(5);
  private static final Duration SQL = Duration.ofSeconds(10);

  private final Pool pool;
  private final AtomicLong count = new AtomicLong();
  private final PeriodicTask looking =
      new PeriodicTask("crash-loops", EVERY, "crash loops cannot be counted, retrying", this::look);

  CrashLoopMetrics(Pool pool, MeterRegistry metrics) {
    this.pool = pool;
    Gauge.builder("baton.runs.crash.loops", count, AtomicLong::get)
        .description("runs whose failovers are delayed for lack of progress, of all replicas")
        .register(metrics);
  }

  /**
   * Returns whether a run's failovers are delayed for lack of progress.
   *
   * @param fruitless number of consecutive failovers without progress
   * @param completed number of completed steps, now and at the last failover
   */
  public static boolean isOne(int fruitless, long completed, long completedAtFailover) {
    return fruitless > RunPlanner.FREE_FAILOVERS && completed <= completedAtFailover;
  }

  void onStart(@Observes @Priority(3000) StartupEvent event) {
    looking.start();
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    looking.stop();
  }

  private void look() {
    count.set(
        pool.preparedQuery(
                """
                SELECT count(*) FROM orchestrator.run WHERE fruitless > 0 AND NOT ended
                  AND fruitless > $1 AND completed <= completed_at_failover""")
            .execute(Tuple.of(RunPlanner.FREE_FAILOVERS))
            .await()
            .atMost(SQL)
            .iterator()
            .next()
            .getLong(0));
  }
}
