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
 * Pauses a run on request. A run that a runner has is paused by it: after the step in progress, or
 * at once. One that none has is paused here. What was asked for holds over failovers until a
 * resume.
 */
@ApplicationScoped
public class RunPauseService {
  private static final String STEP = "step";
  private static final String NOW = "now";

  /** What is written is done, if later: nobody needs to know more than that. */
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
   * Pausing twice is the same as once; fails with a problem when the run cannot be paused. Its
   * runner has been told when this completes, so that a step which ends from now on is the last;
   * where that takes more than two seconds it is told later.
   *
   * @param now the step in progress is stopped, and runs again when the run is resumed
   * @param by who asks; null when nobody says
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
            SELECT kind, control_seq, ended, desired, pause, status, runner_id
            FROM orchestrator.run WHERE id = $1 FOR UPDATE""")
        .execute(Tuple.of(run))
        .chain(
            rows -> {
              for (Row row : rows) {
                check(run, row);
                // A run that is to be paused waits for no place: its resume would.
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
    String desired = row.getString("desired");
    if (row.getBoolean("ended") || desired.equals("cancelled") || desired.equals("lost")) {
      throw conflict(
          "run %s has ended (%s); only a run under way can be paused"
              .formatted(run, row.getBoolean("ended") ? row.getString("status") : desired));
    }
    if (!row.getString("kind").equals("managed")) {
      throw conflict("run %s is external: nobody here can tell its runner".formatted(run));
    }
  }

  private static ProblemException conflict(String message) {
    return new ProblemException(ProblemKind.CONFLICT, message);
  }

  private static boolean isDone(Row row, boolean now) {
    String asked = row.getString("pause");
    return row.getString("desired").equals("paused")
        || row.getString("status").equals(RunStatus.PAUSED.word())
        || (asked != null && (!now || asked.equals(NOW)));
  }

  private static Uni<Void> pause(
      SqlConnection tx, String run, Row row, boolean now, @Nullable String by) {
    long seq = row.getLong("control_seq") + 1;
    boolean idle = row.getString("runner_id") == null;
    OutboxEffect told =
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
        // Resumed, it begins an epoch whatever it waits for.
        .chain(() -> idle ? ParkedRunResumer.forget(tx, run) : Uni.createFrom().voidItem())
        .chain(
            () ->
                OutboxWriter.appendNow(
                    tx,
                    new OutboxWriter.Row(
                        run, idle ? List.of(told) : List.of(told, new OutboxEffect.Pause(now)))));
  }
}
