/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.LaunchedRunner;
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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Stores the launched runners, so that a restarted orchestrator can adopt them. Written before a
 * runner is started and again when its handle is known. Blocking methods time out after 10 s.
 */
@ApplicationScoped
public class LaunchedRunnerRepository {
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final int MOST_TAKEN = 500;
  private static final String COLUMNS =
      "id, mode, launcher, pool, instance, host, run, epoch, state, phase, reason, pid, started_at_ms, log_path, exit_code, created_at, "
          + "COALESCE(handle, pid || '@' || started_at_ms) AS handle";

  /**
   * @param launcher name of the launcher that has started it
   * @param run of an isolated runner, or of a warm one that was assigned a run
   * @param phase the last one that its launcher reported; null before the first
   * @param reason why it is in this phase, or has ended; null when unknown
   * @param pid null for a runner elsewhere
   * @param startedAtMs start of the process, Unix time in ms; null for a runner with a handle
   * @param handle by which its launcher finds it; null before it was started
   */
  public record Entry(
      String id,
      RunnerConnection.Mode mode,
      String launcher,
      String pool,
      String instance,
      String host,
      @Nullable String run,
      @Nullable Integer epoch,
      LaunchedRunnerState state,
      @Nullable String phase,
      @Nullable String reason,
      @Nullable Long pid,
      @Nullable Long startedAtMs,
      String logPath,
      @Nullable Integer exitCode,
      Instant createdAt,
      @Nullable String handle) {}

  private final Pool pool;
  private final String instance;
  private final String host;

  LaunchedRunnerRepository(Pool pool, OrchestratorConfig config) {
    this.pool = pool;
    this.instance = config.instanceId();
    this.host = LocalHostName.name();
  }

  /** Returns false when the row exists, that is, when the launch is repeated. */
  boolean insert(LaunchSpec spec, RunnerConnection.Mode mode, RunnerPlace place, String log) {
    return on(pool.preparedQuery(
                    """
                    INSERT INTO orchestrator.runner (id, mode, launcher, pool, instance, host, run, epoch, state, log_path)
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'starting', $9) ON CONFLICT (id) DO NOTHING""")
                .execute(
                    Tuple.from(
                        Arrays.asList(
                            spec.runner(),
                            mode.word(),
                            place.launcher(),
                            place.pool(),
                            instance,
                            host,
                            spec.run(),
                            spec.run() == null ? null : spec.epoch(),
                            log))))
            .rowCount()
        == 1;
  }

  /** Records the handle, phase and reason of a runner that has not ended. */
  void launched(LaunchedRunner runner) {
    on(
        pool.preparedQuery(
                """
                UPDATE orchestrator.runner SET state = CASE WHEN $3 IN ('starting', 'running') THEN 'running' ELSE state END,
                  handle = $2, phase_at = CASE WHEN phase IS DISTINCT FROM $3 THEN now() ELSE phase_at END, phase = $3, reason = $4, pid = $5::bigint,
                  started_at_ms = CASE WHEN $5::bigint IS NOT NULL AND $2 LIKE '%@%' THEN split_part($2, '@', 2)::bigint END
                WHERE id = $1 AND state <> 'exited'""")
            .execute(
                Tuple.from(
                    Arrays.asList(
                        runner.runner(),
                        runner.handle(),
                        runner.phase().word(),
                        runner.reason(),
                        runner.pid()))));
  }

  /**
   * @param reason null when nothing is known
   */
  void exited(String id, @Nullable Integer exitCode, @Nullable String reason) {
    on(
        pool.preparedQuery(
                """
                UPDATE orchestrator.runner SET state = 'exited', phase = 'ended', exit_code = $2, reason = $3, ended_at = now()
                WHERE id = $1 AND state <> 'exited'""")
            .execute(Tuple.from(Arrays.asList(id, exitCode, reason))));
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
   * Makes this replica the one that watches runners of dead replicas, and returns them, at most
   * {@value #MOST_TAKEN} at a time.
   *
   * @param launchers names of the launchers of which they are taken
   */
  List<Entry> takeOver(Set<String> launchers) {
    return entries(
        on(
            pool.preparedQuery(
                    """
                    UPDATE orchestrator.runner SET instance = $1, host = $2 WHERE id IN (
                      SELECT id FROM orchestrator.runner r
                      WHERE r.launcher = ANY($3) AND r.state <> 'exited' AND r.instance <> $1
                        AND NOT EXISTS (SELECT 1 FROM orchestrator.replica p WHERE p.instance = r.instance)
                      LIMIT $4 FOR UPDATE SKIP LOCKED)
                    RETURNING\s"""
                        + COLUMNS)
                .execute(Tuple.of(instance, host, launchers.toArray(String[]::new), MOST_TAKEN))));
  }

  /** Removes the row of a runner that its launcher has refused to start. */
  void notStarted(String id) {
    on(
        pool.preparedQuery(
                "DELETE FROM orchestrator.runner WHERE id = $1 AND state = 'starting' AND handle IS NULL")
            .execute(Tuple.of(id)));
  }

  /**
   * Returns the runners that were launched for older epochs of runs and that launchers of this host
   * can reach.
   *
   * @param below by run: the lowest epoch that is not returned
   * @param bound names of the launchers that only reach runners of their own host
   */
  List<Entry> olderThan(Map<String, Integer> below, Set<String> bound) {
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
                          WHERE (host = $2 OR NOT launcher = ANY($3)) AND state <> 'exited'""")
                .execute(Tuple.of(wanted.toString(), host, bound.toArray(String[]::new)))));
  }

  /** Lists runners: live ones first, then exited ones, each newest first. */
  Uni<List<Entry>> list(int limit) {
    return pool.preparedQuery(
            "SELECT "
                + COLUMNS
                + " FROM orchestrator.runner ORDER BY state = 'exited', created_at DESC LIMIT $1")
        .execute(Tuple.of(limit))
        .map(LaunchedRunnerRepository::entries);
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
              row.getString("launcher"),
              row.getString("pool"),
              row.getString("instance"),
              row.getString("host"),
              row.getString("run"),
              row.getInteger("epoch"),
              LaunchedRunnerState.of(row.getString("state")),
              row.getString("phase"),
              row.getString("reason"),
              row.getLong("pid"),
              row.getLong("started_at_ms"),
              row.getString("log_path"),
              row.getInteger("exit_code"),
              created.toInstant(),
              row.getString("handle")));
    }
    return entries;
  }

  private static <T> T on(Uni<T> uni) {
    return uni.await().atMost(SQL);
  }
}
