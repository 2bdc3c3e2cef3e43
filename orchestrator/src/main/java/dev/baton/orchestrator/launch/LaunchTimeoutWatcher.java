/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.publish.KafkaEventPublisher;
import dev.baton.protocol.json.Json;
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
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Reports runs whose runner has not started them within the attach timeout of its launcher;
 * liveness only covers runners that have sent a heartbeat. The time begins when the runner is
 * neither queued nor pulling its image. Checks every 5 s, for all replicas.
 */
@ApplicationScoped
class LaunchTimeoutWatcher {
  private static final Duration EVERY = Duration.ofSeconds(5);
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final int MOST = 1_000;

  private final Pool pool;
  private final KafkaEventPublisher publisher;
  private final Duration timeout;

  /** JSON: of each launcher, the time in which its runners must attach. */
  private final String attaching;

  private final PeriodicTask looking =
      new PeriodicTask(
          "silent-launches", EVERY, "launch timeouts: cannot be checked, retrying", this::look);

  LaunchTimeoutWatcher(
      Pool pool,
      KafkaEventPublisher publisher,
      OrchestratorConfig config,
      LauncherRegistry launchers) {
    this.pool = pool;
    this.publisher = publisher;
    this.timeout = config.launcher().timeout();
    Map<String, Long> timeouts = new TreeMap<>();
    launchers
        .places()
        .forEach(place -> timeouts.put(place.launcher(), place.timeouts().attach().toMillis()));
    ArrayNode rows = Json.mapper().createArrayNode();
    timeouts.forEach((name, ms) -> rows.addObject().put("launcher", name).put("ms", ms));
    this.attaching = rows.toString();
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
                SELECT r.id, r.epoch, r.runner_id, COALESCE(v.ms, $1::bigint) AS ms FROM orchestrator.run_wanting_runner r
                LEFT JOIN orchestrator.runner w ON w.id = r.runner_id AND w.state <> 'exited'
                LEFT JOIN json_to_recordset($3::text::json) AS v (launcher text, ms bigint) ON v.launcher = w.launcher
                WHERE r.started_epoch < r.epoch AND COALESCE(w.phase, '') NOT IN ('queued', 'pulling')
                  AND GREATEST(r.assigned_at, w.phase_at) < now() - COALESCE(v.ms, $1::bigint) * interval '1 millisecond'
                LIMIT $2""")
            .execute(Tuple.of(timeout.toMillis(), MOST, attaching))
            .await()
            .atMost(SQL);
    for (Row row : silent) {
      publisher.signal(
          new RunnerSignal.HeartbeatsMissed(
              row.getString("id"),
              row.getInteger("epoch"),
              Objects.requireNonNullElse(row.getString("runner_id"), "unknown"),
              row.getLong("ms"),
              row.getLong("ms")));
    }
  }
}
