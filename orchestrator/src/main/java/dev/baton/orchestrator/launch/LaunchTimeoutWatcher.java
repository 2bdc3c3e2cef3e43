/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.publish.KafkaEventPublisher;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.server.PeriodicTask;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.Objects;

/**
 * Reports runs whose runner has not started them within the launch timeout; liveness only covers
 * runners that have sent a heartbeat. Checks every 5 s, for all replicas.
 */
@ApplicationScoped
class LaunchTimeoutWatcher {
  private static final Duration EVERY = Duration.ofSeconds(5);
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final int MOST = 1_000;

  private final Pool pool;
  private final KafkaEventPublisher publisher;
  private final Duration timeout;
  private final PeriodicTask looking =
      new PeriodicTask(
          "silent-launches", EVERY, "launch timeouts: cannot be checked, retrying", this::look);

  LaunchTimeoutWatcher(Pool pool, KafkaEventPublisher publisher, OrchestratorConfig config) {
    this.pool = pool;
    this.publisher = publisher;
    this.timeout = config.launcher().timeout();
  }

  void onStart(@Observes @Priority(3000) StartupEvent event) {
    looking.start();
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    looking.stop();
  }

  void look() {
    var silent =
        pool.preparedQuery(
                """
                SELECT id, epoch, runner_id FROM orchestrator.run_wanting_runner
                WHERE started_epoch < epoch
                  AND assigned_at < now() - $1::bigint * interval '1 millisecond' LIMIT $2""")
            .execute(Tuple.of(timeout.toMillis(), MOST))
            .await()
            .atMost(SQL);
    for (Row row : silent) {
      publisher.signal(
          new RunnerSignal.HeartbeatsMissed(
              row.getString("id"),
              row.getInteger("epoch"),
              Objects.requireNonNullElse(row.getString("runner_id"), "unknown"),
              timeout.toMillis(),
              timeout.toMillis()));
    }
  }
}
