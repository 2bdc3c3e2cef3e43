/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.parking;

import dev.baton.orchestrator.outbox.OutboxEffect;
import dev.baton.orchestrator.outbox.OutboxWriter;
import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.TraceEvent;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import java.time.Duration;

/**
 * Starts the next epoch of a parked run, once, when the answer or time it waits for has arrived. A
 * row of {@code parked} is valid while the run is in the epoch that parked it; any other transition
 * of the run deletes the row in the same transaction or leaves an invalid row.
 */
public final class ParkedRunResumer {
  private ParkedRunResumer() {}

  /**
   * Resumes the run in the caller's transaction, which need not hold a lock on the run's row. The
   * caller wakes the relay after the commit.
   *
   * @return whether the run resumes; false when it is not parked or no longer desired to run
   */
  public static Uni<Boolean> end(SqlConnection tx, String run) {
    return tx.preparedQuery(
            """
            SELECT r.epoch, r.control_seq, r.pause, NOT r.ended AND r.desired = 'running' AND r.epoch = p.epoch AS open
            FROM orchestrator.run r JOIN orchestrator.parked p ON p.run = r.id WHERE r.id = $1 FOR UPDATE OF r""")
        .execute(Tuple.of(run))
        .chain(
            rows -> {
              for (Row row : rows) {
                return forget(tx, run)
                    .chain(
                        () ->
                            row.getBoolean("open")
                                ? goOn(tx, run, row).replaceWith(true)
                                : Uni.createFrom().item(false));
              }
              return Uni.createFrom().item(false);
            });
  }

  /** Deletes the run's row of {@code parked}; the caller's transaction holds the run's row. */
  public static Uni<Void> forget(SqlConnection tx, String run) {
    return tx.preparedQuery("DELETE FROM orchestrator.parked WHERE run = $1")
        .execute(Tuple.of(run))
        .replaceWithVoid();
  }

  private static Uni<Void> goOn(SqlConnection tx, String run, Row row) {
    int epoch = row.getInteger("epoch") + 1;
    long seq = row.getLong("control_seq") + 1;
    String reason = TraceEvent.RunnerAssigned.UNPARKED;
    // A pause that its runner did not receive in time.
    boolean pause = row.getString("pause") != null;
    return tx.preparedQuery(
            """
            UPDATE orchestrator.run SET epoch = $2, certain_epoch = $2, control_seq = $3, status = $4, desired = $5, runner_id = NULL,
              assigned_at = NULL, runner_pid = NULL, runner_host = NULL, completed_at_failover = completed
            WHERE id = $1""")
        .execute(
            Tuple.of(
                run,
                epoch,
                pause ? seq + 1 : seq,
                (pause ? RunStatus.PAUSED : RunStatus.RESUMING).word(),
                (pause ? DesiredState.PAUSED : DesiredState.RUNNING).word()))
        .chain(
            () ->
                OutboxWriter.append(
                    tx,
                    new OutboxWriter.Row(
                        run,
                        pause
                            ? OutboxEffect.pausedEpoch(epoch, reason, seq)
                            : OutboxEffect.newEpoch(epoch, reason, seq)),
                    Duration.ZERO));
  }
}
