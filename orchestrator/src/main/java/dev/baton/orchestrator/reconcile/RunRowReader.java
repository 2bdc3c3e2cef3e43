/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.baton.orchestrator.outbox.OutboxWriter;
import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.ControlGap;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.RunKind;
import dev.baton.protocol.workflow.IsolationMode;
import io.vertx.mutiny.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads a run's row for the planner. */
public final class RunRowReader {
  /** The columns that {@link #read} needs, of {@code run r} and {@code parked p}. */
  public static final String COLUMNS =
      """
      r.id, r.kind, r.epoch, r.certain_epoch, r.control_seq, r.desired, r.pause, r.status, r.ended, r.runner_id,
        r.queued_at IS NOT NULL AS queued, r.queued_effects, r.queued_definition, r.queued_isolation,
        r.fruitless, r.completed_at_failover, r.deaths, r.died_in, r.next_attempt_at, r.confirmed_epoch, r.confirmed_at,
        r.restart, r.deadline, r.workflow, r.definition_hash, r.deleting, r.started_epoch, r.current_steps,
        r.completed + COALESCE((r.head::json ->> 'resume_points')::bigint, 0) AS progress,
        r.forked_from IS NOT NULL
          OR (r.completed > 0 OR COALESCE((r.head::json ->> 'resume_points')::bigint, 0) > 0)
            AND COALESCE(json_array_length(r.head::json -> 'uncommitted'), 0) = 0 AS saved,
        r.head::json ->> 'control_gap' AS control_gap,
        p.epoch AS parked_epoch, p.parked_at, p.resume_at AS parked_until,
        EXISTS (SELECT 1 FROM orchestrator.concurrency_limit c WHERE c.workflow = r.workflow)
          OR EXISTS (SELECT 1 FROM orchestrator.project l WHERE l.name = r.project AND l.runs IS NOT NULL) AS limited,
        EXISTS (SELECT 1 FROM orchestrator.workflow w WHERE w.hash = r.definition_hash) AS defined,
        EXISTS (SELECT 1 FROM orchestrator.outbox o WHERE o.run = r.id) AS owing,
        EXISTS (SELECT 1 FROM orchestrator.deferred_signal d WHERE d.run = r.id) AS deferred
      """;

  /** The tables of {@link #COLUMNS}. */
  public static final String TABLES =
      "orchestrator.run r LEFT JOIN orchestrator.parked p ON p.run = r.id ";

  private RunRowReader() {}

  /** Reads a result with {@link #COLUMNS}. */
  public static RunRow read(Row row) {
    return new RunRow(row.getString("id"), control(row), facts(row));
  }

  private static RunControl control(Row row) {
    String pause = row.getString("pause");
    Integer parked = row.getInteger("parked_epoch");
    Integer confirmed = row.getInteger("confirmed_epoch");
    Instant confirmedAt = time(row, "confirmed_at");
    String status = row.getString("status");
    return new RunControl(
        row.getInteger("epoch"),
        row.getInteger("certain_epoch"),
        row.getLong("control_seq"),
        DesiredState.of(row),
        pause == null ? null : PauseMode.of(pause),
        RunStatus.of(status)
            .orElseThrow(() -> new IllegalStateException("status '" + status + "' is unknown")),
        row.getBoolean("ended"),
        row.getString("runner_id"),
        parked == null
            ? null
            : new RunControl.ParkedWait(
                parked, Objects.requireNonNull(time(row, "parked_at")), time(row, "parked_until")),
        row.getBoolean("queued") ? queued(row) : null,
        new RunControl.FailoverCount(
            row.getInteger("fruitless"),
            row.getLong("completed_at_failover"),
            RunnerDeathStreak.of(row.getInteger("deaths"), row.getString("died_in"))),
        time(row, "next_attempt_at"),
        confirmed == null || confirmedAt == null
            ? null
            : new RunControl.Confirmation(confirmed, confirmedAt),
        null);
  }

  private static QueuedEpoch queued(Row row) {
    String effects = row.getString("queued_effects");
    if (effects == null) {
      return QueuedEpoch.first();
    }
    String hash = row.getString("queued_definition");
    return QueuedEpoch.of(
        OutboxWriter.read(effects),
        hash == null
            ? null
            : new QueuedEpoch.NewDefinition(
                hash,
                IsolationMode.valueOf(row.getString("queued_isolation").toUpperCase(Locale.ROOT))));
  }

  private static RunRow.Facts facts(Row row) {
    return new RunRow.Facts(
        RunKind.of(row.getString("kind")),
        row.getString("restart"),
        time(row, "deadline"),
        row.getString("workflow"),
        row.getString("definition_hash"),
        row.getBoolean("limited"),
        row.getBoolean("defined"),
        row.getBoolean("deleting"),
        row.getBoolean("owing"),
        row.getBoolean("deferred"),
        row.getInteger("started_epoch"),
        row.getBoolean("saved"),
        row.getLong("progress"),
        RunnerDeathStreak.steps(row.getString("current_steps")),
        gap(row.getString("control_gap")));
  }

  private static @Nullable ControlGap gap(@Nullable String json) {
    return json == null ? null : Json.read(json.getBytes(UTF_8), ControlGap.class);
  }

  private static @Nullable Instant time(Row row, String column) {
    OffsetDateTime time = row.getOffsetDateTime(column);
    return time == null ? null : time.toInstant();
  }
}
