/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import dev.baton.orchestrator.outbox.OutboxCompletions;
import dev.baton.orchestrator.outbox.OutboxEffect;
import dev.baton.orchestrator.outbox.OutboxRelay;
import dev.baton.orchestrator.outbox.OutboxWriter;
import dev.baton.orchestrator.parking.ParkedRunResumer;
import dev.baton.orchestrator.problem.ControlTextValidator;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.queue.QueuedStart;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.RunKind;
import dev.baton.protocol.trace.TraceEvent;
import io.smallrye.mutiny.TimeoutException;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pauses runs. A run with a runner is paused by the runner: after the step in progress, or at once.
 * A run without a runner is paused here. A requested pause survives failovers until a resume.
 */
@ApplicationScoped
public class RunPauseService {
  private static final String STEP = "step";
  private static final String NOW = "now";

  /** The request is stored and will be performed, so a caller need not wait longer. */
  private static final Duration TOLD = Duration.ofSeconds(2);

  private final Pool pool;
  private final OutboxRelay relay;
  private final OutboxCompletions awaited;

  RunPauseService(Pool pool, OutboxRelay relay, OutboxCompletions awaited) {
    this.pool = pool;
    this.relay = relay;
    this.awaited = awaited;
  }

  /**
   * Idempotent; fails with a problem when the run cannot be paused. Completes when the runner has
   * received the request, so that no step starts afterwards; after 2 s it completes anyway, and the
   * runner receives the request later.
   *
   * @param now stops the step in progress, which runs again when the run is resumed
   * @param by name of the requester; null when unknown
   */
  public Uni<Void> pause(String run, boolean now, @Nullable String by) {
    ControlTextValidator.check("by", by);
    return pool.withTransaction(tx -> pause(tx, run, now, by))
        .invoke(relay::wake)
        .call(
            () ->
                awaited
                    .firstDone(List.of(run), TOLD)
                    .onFailure(TimeoutException.class)
                    .recoverWithNull());
  }

  private static Uni<Void> pause(SqlConnection tx, String run, boolean now, @Nullable String by) {
    return tx.preparedQuery(
            """
            SELECT kind, epoch, control_seq, ended, desired, pause, status, runner_id
            FROM orchestrator.run WHERE id = $1 FOR UPDATE""")
        .execute(Tuple.of(run))
        .chain(
            rows -> {
              for (Row row : rows) {
                check(run, row);
                // A paused run leaves the queue; its resume queues it again.
                return QueuedStart.withdraw(tx, run)
                    .chain(
                        () ->
                            isDone(row, now)
                                ? Uni.createFrom().voidItem()
                                : pause(tx, run, row, now, by));
              }
              throw RunQueryService.unknown(run);
            });
  }

  private static void check(String run, Row row) {
    DesiredState desired = DesiredState.of(row);
    if (row.getBoolean("ended") || desired.isFinal()) {
      throw conflict(
          "run %s has ended (%s); only an active run can be paused"
              .formatted(run, row.getBoolean("ended") ? row.getString("status") : desired.word()));
    }
    if (RunKind.of(row.getString("kind")) != RunKind.MANAGED) {
      throw conflict("run %s is external and cannot be paused here".formatted(run));
    }
  }

  private static ProblemException conflict(String message) {
    return new ProblemException(ProblemKind.CONFLICT, message);
  }

  private static boolean isDone(Row row, boolean now) {
    String asked = row.getString("pause");
    return DesiredState.of(row) == DesiredState.PAUSED
        || row.getString("status").equals(RunStatus.PAUSED.word())
        || (asked != null && (!now || asked.equals(NOW)));
  }

  private static Uni<Void> pause(
      SqlConnection tx, String run, Row row, boolean now, @Nullable String by) {
    long seq = row.getLong("control_seq") + 1;
    boolean idle = row.getString("runner_id") == null;
    OutboxEffect request =
        OutboxEffect.publish(new TraceEvent.PauseRequested(by, now, idle), seq, Instant.now());
    return tx.preparedQuery(
            idle
                ? """
                  UPDATE orchestrator.run SET desired = 'paused', pause = $2, control_seq = $3, status = 'paused'
                  WHERE id = $1"""
                : """
                  UPDATE orchestrator.run SET pause = $2, control_seq = $3,
                    status = CASE WHEN status IN ('running', 'waiting') THEN 'pausing' ELSE status END
                  WHERE id = $1""")
        .execute(Tuple.of(run, now ? NOW : STEP, seq))
        // Its resume begins an epoch regardless of the wait.
        .chain(() -> idle ? ParkedRunResumer.forget(tx, run) : Uni.createFrom().voidItem())
        .chain(
            () ->
                OutboxWriter.appendNow(
                    tx,
                    new OutboxWriter.Row(
                        run,
                        idle
                            ? List.of(request)
                            : List.of(
                                request, new OutboxEffect.Pause(row.getInteger("epoch"), now)))));
  }
}
