/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.orchestrator.reconcile.RunControl;
import dev.baton.protocol.json.Json;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Writes one batch to the view: each run once, for any number of its events. */
final class RunViewWriter {
  private RunViewWriter() {}

  /** Another consumer has advanced a partition: this batch must not be written. */
  static final class PositionMovedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PositionMovedException() {
      super("another consumer has advanced the projection", null, false, false);
    }
  }

  /**
   * Advances the positions by compare-and-set; fails with {@link PositionMovedException} if one has
   * changed.
   */
  static Uni<Void> move(SqlConnection tx, Map<Integer, Long> from, Map<Integer, Long> to) {
    ArrayNode moves = Json.mapper().createArrayNode();
    to.forEach(
        (partition, next) ->
            moves
                .addObject()
                .put("partition", partition)
                .put("expected", from.getOrDefault(partition, 0L))
                .put("next", next));
    // The commit must reach the disk: a later loss of the position may not be detected, because
    // the consumer has continued and no further record may follow.
    return tx.preparedQuery(MOVE)
        .execute(Tuple.of(moves.toString()))
        .invoke(
            moved -> {
              if (moved.rowCount() != to.size()) {
                throw new PositionMovedException();
              }
            })
        .replaceWithVoid();
  }

  static Uni<Void> write(SqlConnection tx, Collection<RunChange> changes, List<ObjectNode> born) {
    ArrayNode rows = Json.mapper().createArrayNode();
    ArrayNode asked = Json.mapper().createArrayNode();
    ArrayNode parked = Json.mapper().createArrayNode();
    ArrayNode gaps = Json.mapper().createArrayNode();
    ArrayNode closed = Json.mapper().createArrayNode();
    for (RunChange change : changes) {
      rows.add(change.row());
      change.asked().forEach(asked::add);
      ObjectNode waits = change.parked();
      if (waits != null) {
        parked.add(waits);
      }
      if (change.hasNewControlGap()) {
        gaps.addObject().put("run", change.run());
      }
      change
          .closed()
          .forEach(
              (step, how) ->
                  closed
                      .addObject()
                      .put("run", change.run())
                      .put("step", step)
                      .put("by_default", how.byDefault())
                      .put("at", PostgresValueSanitizer.text(how.at())));
      change
          .closedCalls()
          .forEach(
              approval ->
                  closed
                      .addObject()
                      .put("run", change.run())
                      .put("approval", approval)
                      .put("by_default", false));
      if (change.head().isEnded()) {
        closed.addObject().put("run", change.run()).putNull("step").put("by_default", false);
      }
    }
    ArrayNode foreign = Json.mapper().createArrayNode();
    born.forEach(foreign::add);
    return execute(tx, INSERT_DEFINITIONS, foreign)
        .chain(() -> execute(tx, INSERT_FOREIGN, foreign))
        .chain(() -> execute(tx, UPDATE_RUNS, rows))
        // In this order, so that a step whose approval is requested again waits.
        .chain(() -> execute(tx, CLOSE_APPROVALS, closed))
        .chain(() -> execute(tx, INSERT_APPROVALS, asked))
        .chain(() -> execute(tx, PARK, parked))
        .chain(() -> execute(tx, STOP_AT_GAPS, gaps));
  }

  private static Uni<Void> execute(SqlConnection tx, String sql, ArrayNode rows) {
    return rows.isEmpty()
        ? Uni.createFrom().voidItem()
        : tx.preparedQuery(sql)
            .execute(Tuple.of(PostgresValueSanitizer.json(rows)))
            .replaceWithVoid();
  }

  static final String MOVE =
      """
      UPDATE orchestrator.projection_position p SET next_offset = v.next
      FROM json_to_recordset($1::text::json) AS v (partition int, expected bigint, next bigint)
      WHERE p.partition = v.partition AND p.next_offset = v.expected""";

  // Does not change which definition a workflow name refers to; only putting a workflow does.
  private static final String INSERT_DEFINITIONS =
      """
      INSERT INTO orchestrator.workflow (hash, name, definition)
      SELECT DISTINCT ON (definition_hash) definition_hash, workflow, definition
      FROM json_to_recordset($1::text::json) AS v (definition_hash text, workflow text, definition text)
      WHERE definition IS NOT NULL ORDER BY definition_hash
      ON CONFLICT (hash) DO NOTHING""";

  private static final String INSERT_FOREIGN =
      """
      INSERT INTO orchestrator.run (id, project, kind, workflow, definition_hash, isolation, labels, input, restart,
        deadline, heartbeat_interval_ms, heartbeat_timeout_ms, created_at, epoch, control_seq, status,
        home_partition, forked_from, forked_position, forked_step, forked_checkpoint)
      SELECT id, project, kind, workflow, definition_hash, isolation, labels, input, restart,
        deadline, heartbeat_interval_ms, heartbeat_timeout_ms, created_at, 1, 1, 'pending',
        home_partition, forked_from, forked_position, forked_step, forked_checkpoint
      FROM json_to_recordset($1::text::json) AS v (id text, project text, kind text, workflow text,
        definition_hash text, isolation text, labels jsonb, input text, restart text, deadline timestamptz,
        heartbeat_interval_ms bigint, heartbeat_timeout_ms bigint, created_at timestamptz, home_partition int, forked_from text,
        forked_position bigint, forked_step text, forked_checkpoint text)
      ON CONFLICT (id) DO NOTHING""";

  /**
   * Updates the runs of a batch. A batch that did not change the status (for example, labels of an
   * ended run) keeps the columns that depend on it: a resume that is not on the log yet may have
   * set them. A row with a newer epoch than the batch means that the runner is lost: the run is
   * interrupted until the fence is read. A pause of an older epoch has ended: the run was resumed
   * since. A requested pause is shown at once, and stays while older events are read. Events of a
   * partition that is not the run's home change nothing: another consumer has read its creation.
   */
  static final String UPDATE_RUNS =
      """
      UPDATE orchestrator.run r SET head = v.head, home_partition = v.home_partition,
        status = CASE WHEN NOT v.moved THEN r.status
          WHEN v.control_seq < r.control_seq AND NOT v.ended AND (r.status = 'paused' AND r.desired = 'paused'
            OR r.status = 'pausing' AND r.pause IS NOT NULL AND r.epoch = v.epoch AND v.status IN ('running', 'waiting')) THEN r.status
          WHEN r.epoch > v.epoch AND v.status IN ('starting', 'running', 'waiting', 'pausing', 'resuming') THEN 'interrupted'
          WHEN r.epoch > v.epoch AND v.status = 'paused' THEN r.status ELSE v.status END,
        ended = CASE WHEN v.moved THEN v.ended ELSE r.ended END,
        epoch = GREATEST(r.epoch, v.epoch), control_seq = GREATEST(r.control_seq, v.control_seq), current_steps = v.current_steps, completed = v.completed,
        fenced = v.fenced, error = CASE WHEN v.moved THEN v.error ELSE r.error END, started_epoch = GREATEST(r.started_epoch, COALESCE(v.started_epoch, 0)),
        started_at = COALESCE(r.started_at, v.started_at),
        ended_at = CASE WHEN NOT v.moved THEN r.ended_at WHEN v.ended THEN COALESCE(v.ended_at, r.ended_at) END,
        output = COALESCE(v.output, r.output), runner_pid = COALESCE(v.runner_pid, r.runner_pid),
        runner_host = COALESCE(v.runner_host, r.runner_host),
        assigned_at = CASE WHEN v.moved AND v.ended THEN NULL ELSE r.assigned_at END
      FROM (SELECT * FROM json_to_recordset($1::text::json) AS j (id text, home_partition int, moved boolean, head text, status text, ended boolean,
        epoch int, control_seq bigint, current_steps text, completed bigint, fenced bigint, error text, started_epoch int,
        started_at timestamptz, ended_at timestamptz, output text, runner_pid bigint, runner_host text) ORDER BY id) v
      WHERE r.id = v.id AND COALESCE(r.home_partition, v.home_partition) = v.home_partition""";

  /**
   * Releases the runners of parked runs. The statement locks the run's row: it sees an answer or
   * pause committed before, and a later one sees that the run is parked.
   */
  private static final String PARK =
      """
      WITH v AS (SELECT * FROM json_to_recordset($1::text::json) AS j (run text, epoch int, parked_at timestamptz,
          resume_at timestamptz, approvals text)),
      freed AS (UPDATE orchestrator.run r SET runner_id = NULL, assigned_at = NULL, runner_pid = NULL, runner_host = NULL
        FROM v WHERE r.id = v.run AND r.epoch = v.epoch AND NOT r.ended RETURNING r.id, r.pause)
      INSERT INTO orchestrator.parked (run, epoch, parked_at, resume_at)
      SELECT v.run, v.epoch, v.parked_at, CASE WHEN freed.pause IS NOT NULL OR EXISTS (
          SELECT 1 FROM orchestrator.approval a WHERE a.id IN (SELECT json_array_elements_text(v.approvals::json))
            AND a.status = 'answered') THEN now() ELSE v.resume_at END
      FROM v JOIN freed ON freed.id = v.run
      ON CONFLICT (run) DO UPDATE SET epoch = EXCLUDED.epoch, parked_at = EXCLUDED.parked_at, resume_at = EXCLUDED.resume_at
      WHERE parked.epoch <> %d"""
          .formatted(RunControl.ParkedWait.GAP);

  /** Lets the plan of runs whose log lacks control events pause them, whatever they wait for. */
  private static final String STOP_AT_GAPS =
      """
      INSERT INTO orchestrator.parked (run, epoch, parked_at, resume_at)
      SELECT r.id, %d, now(), now() FROM json_to_recordset($1::text::json) AS v (run text)
        JOIN orchestrator.run r ON r.id = v.run AND r.kind = 'managed' AND NOT r.ended
      ON CONFLICT (run) DO UPDATE SET epoch = EXCLUDED.epoch, parked_at = EXCLUDED.parked_at, resume_at = EXCLUDED.resume_at"""
          .formatted(RunControl.ParkedWait.GAP);

  /**
   * The same tool call is requested again under the same id when a run continues from an older
   * state, which had closed its approval: it waits again.
   */
  private static final String INSERT_APPROVALS =
      """
      INSERT INTO orchestrator.approval (id, run, step, prompt, answer_schema, default_answer, expires_at, cut, tool, status,
        asked_at, answer, answered_by, answered_at)
      SELECT id, run, step, prompt, answer_schema, default_answer, expires_at, cut, tool, status, asked_at, answer, answered_by,
        answered_at
      FROM json_to_recordset($1::text::json) AS v (id text, run text, step text, prompt text, answer_schema text,
        default_answer text, expires_at timestamptz, cut text, tool text, status text,
        asked_at timestamptz, answer text, answered_by text, answered_at timestamptz)
      ON CONFLICT (id) DO UPDATE SET status = EXCLUDED.status, expires_at = EXCLUDED.expires_at
      WHERE approval.status = 'expired' AND EXCLUDED.status = 'waiting' AND approval.run = EXCLUDED.run
        AND approval.tool IS NOT NULL AND EXCLUDED.tool IS NOT NULL""";

  private static final String CLOSE_APPROVALS =
      """
      UPDATE orchestrator.approval a SET status = CASE WHEN v.by_default AND a.default_answer IS NOT NULL
          THEN 'answered' ELSE 'expired' END,
        answer = CASE WHEN v.by_default THEN a.default_answer END,
        answered_by = CASE WHEN v.by_default AND a.default_answer IS NOT NULL THEN 'timeout' END,
        answered_at = CASE WHEN v.by_default AND a.default_answer IS NOT NULL THEN v.at END
      FROM json_to_recordset($1::text::json) AS v (run text, step text, approval text, by_default boolean,
        at timestamptz)
      WHERE a.run = v.run AND (v.step IS NULL OR a.step = v.step) AND (v.approval IS NULL OR a.id = v.approval) AND a.status = 'waiting'""";
}
