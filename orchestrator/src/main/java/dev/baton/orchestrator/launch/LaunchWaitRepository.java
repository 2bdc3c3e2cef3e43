/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.baton.protocol.json.Json;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Map;

/**
 * Stores for which launcher a run waits, so that every replica shows it. A repeated refusal by the
 * same launcher changes nothing. Cleared in the statement that assigns the runner.
 */
@ApplicationScoped
class LaunchWaitRepository {
  private static final Duration SQL = Duration.ofSeconds(10);

  /** Locks the runs in the order of their ids, as {@link RunLauncher#ASSIGN}. */
  static final String WAITING =
      """
      WITH v AS MATERIALIZED (
        SELECT * FROM json_to_recordset($1::text::json)
          AS t (id text, epoch int, launcher text, pool text, max int, reason text, detail text)),
      locked AS MATERIALIZED (
        SELECT r.id FROM orchestrator.run r WHERE r.id IN (SELECT id FROM v) ORDER BY r.id FOR NO KEY UPDATE OF r)
      UPDATE orchestrator.run r SET awaits_launcher = v.launcher, awaits_pool = v.pool, awaits_limit = v.max,
        awaits_reason = v.reason, awaits_detail = v.detail, awaits_epoch = v.epoch,
        awaits_since = CASE WHEN r.awaits_epoch = v.epoch THEN r.awaits_since ELSE now() END
      FROM v JOIN locked ON locked.id = v.id
      WHERE r.id = v.id AND r.epoch = v.epoch
        AND (r.awaits_epoch, r.awaits_launcher, r.awaits_pool, r.awaits_limit, r.awaits_reason, r.awaits_detail)
          IS DISTINCT FROM (v.epoch, v.launcher, v.pool, v.max, v.reason, v.detail)""";

  private final Pool pool;

  LaunchWaitRepository(Pool pool) {
    this.pool = pool;
  }

  /** Blocks for one statement. */
  void waiting(Map<RunLauncher.Target, LauncherCapacityLimiter.Result.Full> runs) {
    pool.preparedQuery(WAITING).execute(Tuple.of(rows(runs))).await().atMost(SQL);
  }

  /**
   * Revokes the assignment to a runner that its launcher has refused to start, so that the next
   * launch may choose another place. Blocks for one statement.
   */
  void refused(RunLauncher.Target run, String runner, LauncherCapacityLimiter.Result.Full where) {
    pool.preparedQuery(
            """
            WITH gone AS (
              DELETE FROM orchestrator.runner WHERE id = $2 AND state = 'starting' AND handle IS NULL RETURNING id)
            UPDATE orchestrator.run r SET runner_id = NULL, assigned_at = NULL, awaits_launcher = v.launcher,
              awaits_pool = v.pool, awaits_limit = v.max, awaits_reason = v.reason, awaits_detail = v.detail,
              awaits_epoch = v.epoch, awaits_since = now()
            FROM json_to_recordset($1::text::json)
                AS v (id text, epoch int, launcher text, pool text, max int, reason text, detail text), gone
            WHERE r.id = v.id AND r.epoch = v.epoch AND r.runner_id = gone.id""")
        .execute(Tuple.of(rows(Map.of(run, where)), runner))
        .await()
        .atMost(SQL);
  }

  private static String rows(Map<RunLauncher.Target, LauncherCapacityLimiter.Result.Full> runs) {
    ArrayNode rows = Json.mapper().createArrayNode();
    runs.forEach(
        (run, full) ->
            rows.addObject()
                .put("id", run.run())
                .put("epoch", run.epoch())
                .put("launcher", full.launcher())
                .put("pool", full.pool())
                .put("max", full.limit())
                .put("reason", full.reason())
                .put("detail", full.refusal() == null ? null : full.refusal().detail()));
    return rows.toString();
  }
}
