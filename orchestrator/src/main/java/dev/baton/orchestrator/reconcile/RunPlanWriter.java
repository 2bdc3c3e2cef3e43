/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.orchestrator.outbox.OutboxWriter;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.retry.Backoff;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes plans of many runs with one statement, which compares each row with the one that was
 * planned for, sets it, and appends its effects to the outbox.
 */
final class RunPlanWriter {
  private static final String KEEP = "keep";
  private static final String SET = "set";
  private static final String CLEAR = "clear";

  /**
   * A row of the outbox has its run's priority, so that a run's rows stay in order. A run that was
   * parked, or no longer is, since its row was read does not match.
   */
  private static final String WRITE =
      """
      WITH v AS MATERIALIZED (SELECT * FROM json_to_recordset($1::text::json) AS t (id text, was_epoch int, was_seq bigint, was_parked int,
          epoch int, certain_epoch int, control_seq bigint, desired text, pause text, status text, released boolean, reopened boolean,
          queue text, queued_effects text, queued_definition text, queued_isolation text, fruitless int, completed_at_failover bigint,
          deaths int, died_in text, last_exit text, attempt text, delay bigint, confirmed int, definition_hash text, isolation text,
          unpark boolean, at_once boolean, effects text)),
      changed AS (
        UPDATE orchestrator.run r SET epoch = v.epoch, certain_epoch = v.certain_epoch, control_seq = v.control_seq, desired = v.desired,
          pause = v.pause, status = v.status,
          runner_id = CASE WHEN NOT v.released THEN r.runner_id END, assigned_at = CASE WHEN NOT v.released THEN r.assigned_at END,
          runner_pid = CASE WHEN NOT v.released THEN r.runner_pid END, runner_host = CASE WHEN NOT v.released THEN r.runner_host END,
          ended = r.ended AND NOT v.reopened, ended_at = CASE WHEN NOT v.reopened THEN r.ended_at END,
          error = CASE WHEN NOT v.reopened THEN r.error END,
          queued_at = CASE v.queue WHEN 'keep' THEN r.queued_at WHEN 'set' THEN now() END,
          queued_effects = CASE v.queue WHEN 'keep' THEN r.queued_effects ELSE v.queued_effects END,
          queued_definition = CASE v.queue WHEN 'keep' THEN r.queued_definition ELSE v.queued_definition END,
          queued_isolation = CASE v.queue WHEN 'keep' THEN r.queued_isolation ELSE v.queued_isolation END,
          fruitless = v.fruitless, completed_at_failover = v.completed_at_failover, deaths = v.deaths, died_in = v.died_in,
          last_exit = COALESCE(v.last_exit, r.last_exit),
          next_attempt_at = CASE v.attempt WHEN 'keep' THEN r.next_attempt_at WHEN 'set' THEN now() + v.delay * interval '1 millisecond' END,
          confirmed_epoch = COALESCE(v.confirmed, r.confirmed_epoch),
          confirmed_at = CASE WHEN v.confirmed IS NULL THEN r.confirmed_at ELSE clock_timestamp() END,
          definition_hash = COALESCE(v.definition_hash, r.definition_hash), isolation = COALESCE(v.isolation, r.isolation)
        FROM v WHERE r.id = v.id AND r.epoch = v.was_epoch AND r.control_seq = v.was_seq
          AND v.was_parked IS NOT DISTINCT FROM (SELECT p.epoch FROM orchestrator.parked p WHERE p.run = v.id)
        RETURNING r.id, r.priority),
      unparked AS (
        DELETE FROM orchestrator.parked p USING v JOIN changed c ON c.id = v.id WHERE v.unpark AND p.run = v.id),
      hurried AS (
        UPDATE orchestrator.outbox o SET not_before = now(), awaits_slot = false
        FROM v JOIN changed c ON c.id = v.id WHERE v.at_once AND o.run = v.id),
      appended AS (
        INSERT INTO orchestrator.outbox (run, effects, not_before, priority)
        SELECT v.id, v.effects, now() + v.delay * interval '1 millisecond', c.priority
        FROM v JOIN changed c ON c.id = v.id WHERE v.effects IS NOT NULL)
      SELECT id FROM changed""";

  private RunPlanWriter() {}

  /**
   * Writes the plans in the caller's transaction.
   *
   * @return the runs whose row was still the planned one
   */
  static Uni<Set<String>> write(SqlConnection tx, Collection<RunPlan> plans) {
    ArrayNode rows = Json.mapper().createArrayNode();
    plans.stream().filter(RunPlan::hasChange).map(RunPlanWriter::row).forEach(rows::add);
    if (rows.isEmpty()) {
      return Uni.createFrom().item(Set.of());
    }
    return tx.preparedQuery(WRITE)
        .execute(Tuple.of(rows.toString()))
        .map(
            written -> {
              Set<String> ids = new HashSet<>();
              written.forEach(row -> ids.add(row.getString("id")));
              return ids;
            });
  }

  private static ObjectNode row(RunPlan plan) {
    RunControl before = plan.before().control();
    RunControl next = plan.next();
    QueuedEpoch.NewDefinition definition = next.definition();
    RunControl.ParkedWait parked = before.parked();
    PauseMode pause = next.pause();
    RunnerDeathStreak deaths = next.failovers().deaths();
    LastRunnerExit exit = plan.exit();
    ObjectNode row =
        Json.mapper()
            .createObjectNode()
            .put("id", plan.before().id())
            .put("was_epoch", before.epoch())
            .put("was_seq", before.controlSeq())
            .put("was_parked", parked == null ? null : (Integer) parked.epoch())
            .put("epoch", next.epoch())
            .put("certain_epoch", next.certainEpoch())
            .put("control_seq", next.controlSeq())
            .put("desired", next.desired().word())
            .put("pause", pause == null ? null : pause.word())
            .put("status", next.status().word())
            .put("released", next.epoch() > before.epoch())
            .put("reopened", before.ended() && !next.ended())
            .put("fruitless", next.failovers().fruitless())
            .put("completed_at_failover", next.failovers().completed())
            .put("deaths", deaths.count())
            .put("died_in", deaths.equals(RunnerDeathStreak.NONE) ? null : deaths.stepsJson())
            .put("last_exit", exit == null ? null : exit.json())
            .put("delay", Backoff.jittered(plan.delay()).toMillis())
            .put("attempt", change(before.nextAttemptAt(), next.nextAttemptAt()))
            .put("confirmed", confirmed(before, next))
            .put("definition_hash", definition == null ? null : definition.hash())
            .put("isolation", isolation(definition))
            .put("unpark", before.parked() != null && next.parked() == null)
            .put("at_once", plan.atOnce())
            .put("effects", plan.effects().isEmpty() ? null : OutboxWriter.write(plan.effects()));
    queue(row, before.queued(), next.queued());
    return row;
  }

  private static @Nullable Integer confirmed(RunControl before, RunControl next) {
    RunControl.Confirmation confirmation = next.confirmation();
    return confirmation == null || confirmation.equals(before.confirmation())
        ? null
        : (Integer) confirmation.epoch();
  }

  private static void queue(
      ObjectNode row, @Nullable QueuedEpoch before, @Nullable QueuedEpoch next) {
    row.put("queue", change(before, next));
    if (next != null && !next.equals(before)) {
      QueuedEpoch.NewDefinition definition = next.definition();
      row.put("queued_effects", OutboxWriter.write(next.effects()))
          .put("queued_definition", definition == null ? null : definition.hash())
          .put("queued_isolation", isolation(definition));
    }
  }

  private static String change(@Nullable Object before, @Nullable Object next) {
    if (next == null) {
      return CLEAR;
    }
    return Objects.equals(before, next) ? KEEP : SET;
  }

  private static @Nullable String isolation(QueuedEpoch.@Nullable NewDefinition definition) {
    return definition == null ? null : definition.isolation().name().toLowerCase(Locale.ROOT);
  }
}
