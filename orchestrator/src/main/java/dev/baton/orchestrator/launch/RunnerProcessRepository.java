/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.gateway.RunnerConnection;
import dev.baton.protocol.json.Json;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Stores the launched processes, so that a restarted orchestrator can adopt them. Written before a
 * process is started and again when its pid is known. Blocking methods time out after 10 s.
 */
@ApplicationScoped
public class RunnerProcessRepository {
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final String COLUMNS =
      "id, mode, instance, host, run, epoch, state, pid, started_at_ms, log_path, exit_code, created_at";

  /**
   * @param run of an isolated runner, or of a warm one that was assigned a run
   * @param startedAtMs start of the process, Unix time in ms; detects a reused pid
   */
  public record Entry(
      String id,
      RunnerConnection.Mode mode,
      String instance,
      String host,
      @Nullable String run,
      @Nullable Integer epoch,
      RunnerProcessState state,
      @Nullable Long pid,
      @Nullable Long startedAtMs,
      String logPath,
      @Nullable Integer exitCode,
      Instant createdAt) {}

  private final Pool pool;
  private final String instance;
  private final String host;

  RunnerProcessRepository(Pool pool, OrchestratorConfig config) {
    this.pool = pool;
    this.instance = config.instanceId();
    this.host = LocalHostName.name();
  }

  /** Returns false when the row exists, that is, when the launch is repeated. */
  boolean insert(
      String id,
      RunnerConnection.Mode mode,
      @Nullable String run,
      @Nullable Integer epoch,
      String log) {
    return on(pool.preparedQuery(
                    """
                    INSERT INTO orchestrator.runner (id, mode, instance, host, run, epoch, state, log_path)
                    VALUES ($1, $2, $3, $4, $5, $6, 'starting', $7) ON CONFLICT (id) DO NOTHING""")
                .execute(
                    Tuple.from(Arrays.asList(id, mode.word(), instance, host, run, epoch, log))))
            .rowCount()
        == 1;
  }

  void running(String id, long pid, long startedAtMs) {
    on(
        pool.preparedQuery(
                """
                UPDATE orchestrator.runner SET state = 'running', pid = $2, started_at_ms = $3
                WHERE id = $1 AND state <> 'exited'""")
            .execute(Tuple.of(id, pid, startedAtMs)));
  }

  void exited(String id, @Nullable Integer exitCode) {
    on(
        pool.preparedQuery(
                """
                UPDATE orchestrator.runner SET state = 'exited', exit_code = $2, ended_at = now()
                WHERE id = $1 AND state <> 'exited'""")
            .execute(Tuple.from(Arrays.asList(id, exitCode))));
  }

  Optional<Entry> find(String id) {
    return first(
        on(
            pool.preparedQuery("SELECT " + COLUMNS + " FROM orchestrator.runner WHERE id = $1")
                .execute(Tuple.of(id))));
  }

  /**
   * Returns the runner started for, or assigned to, each run's epoch; runs without one are absent.
   *
   * @param epochs by run
   */
  List<Entry> carriers(Map<String, Integer> epochs) {
    ArrayNode wanted = Json.mapper().createArrayNode();
    epochs.forEach((run, epoch) -> wanted.addObject().put("run", run).put("epoch", epoch));
    return entries(
        on(
            pool.preparedQuery(
                    "SELECT DISTINCT ON (run) "
                        + COLUMNS
                        + """
                           FROM orchestrator.runner WHERE (run, epoch) IN (
                            SELECT v.run, v.epoch FROM json_to_recordset($1::text::json) AS v (run text, epoch int))
                          ORDER BY run, state = 'exited', created_at DESC""")
                .execute(Tuple.of(wanted.toString()))));
  }

  /** Returns the runners of this replica without a recorded exit. */
  List<Entry> alive() {
    return entries(
        on(
            pool.preparedQuery(
                    "SELECT "
                        + COLUMNS
                        + " FROM orchestrator.runner WHERE instance = $1 AND state <> 'exited'")
                .execute(Tuple.of(instance))));
  }

  /**
   * Returns the processes of this host that were launched for older epochs of runs.
   *
   * @param below by run: the lowest epoch that is not returned
   */
  List<Entry> olderThan(Map<String, Integer> below) {
    ArrayNode wanted = Json.mapper().createArrayNode();
    below.forEach((run, epoch) -> wanted.addObject().put("r", run).put("below", epoch));
    return entries(
        on(
            pool.preparedQuery(
                    "SELECT "
                        + COLUMNS
                        + """
                           FROM orchestrator.runner
                          JOIN json_to_recordset($1::text::json) AS v (r text, below int) ON run = v.r AND epoch < v.below
                          WHERE host = $2 AND state <> 'exited'""")
                .execute(Tuple.of(wanted.toString(), host))));
  }

  /** Lists runners: live ones first, then exited ones, each newest first. */
  Uni<List<Entry>> list(int limit) {
    return pool.preparedQuery(
            "SELECT "
                + COLUMNS
                + " FROM orchestrator.runner ORDER BY state = 'exited', created_at DESC LIMIT $1")
        .execute(Tuple.of(limit))
        .map(RunnerProcessRepository::entries);
  }

  private static Optional<Entry> first(RowSet<Row> rows) {
    return entries(rows).stream().findFirst();
  }

  private static List<Entry> entries(RowSet<Row> rows) {
    List<Entry> entries = new ArrayList<>();
    for (Row row : rows) {
      OffsetDateTime created = row.getOffsetDateTime("created_at");
      entries.add(
          new Entry(
              row.getString("id"),
              RunnerConnection.Mode.of(row.getString("mode")).orElseThrow(),
              row.getString("instance"),
              row.getString("host"),
              row.getString("run"),
              row.getInteger("epoch"),
              RunnerProcessState.of(row.getString("state")),
              row.getLong("pid"),
              row.getLong("started_at_ms"),
              row.getString("log_path"),
              row.getInteger("exit_code"),
              created.toInstant()));
    }
    return entries;
  }

  private static <T> T on(Uni<T> uni) {
    return uni.await().atMost(SQL);
  }
}
