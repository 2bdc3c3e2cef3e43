/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.parking;

import dev.baton.orchestrator.outbox.OutboxEffect;
import dev.baton.orchestrator.outbox.OutboxWriter;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.TraceEvent;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import java.time.Duration;

/**
 * Gives a parked run its next epoch, once: what it has waited for has come. A row of {@code parked}
 * counts while the run is in the epoch that parked it; whoever goes on with the run, for whatever
 * reason, takes the row away in the same transaction, or leaves it behind without a meaning.
 */
public final class ParkedRunResumer {
  private ParkedRunResumer() {}

  /**
   * In the caller's transaction, which need not hold the run's row yet. The caller wakes the relay
   * after the commit.
   *
   * @return whether the run goes on; not where it is not parked, or something else has been decided
   *     about it
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

  /** It is parked no longer, if it was; the caller's transaction holds the run's row. */
  public static Uni<Void> forget(SqlConnection tx, String run) {
    return tx.preparedQuery("DELETE FROM orchestrator.parked WHERE run = $1")
        .execute(Tuple.of(run))
        .replaceWithVoid();
  }

  private static Uni<Void> goOn(SqlConnection tx, String run, Row row) {
    int epoch = row.getInteger("epoch") + 1;
    long seq = row.getLong("control_seq") + 1;
    String reason = TraceEvent.RunnerAssigned.UNPARKED;
    // A pause that its runner had no time to hear of.
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
                pause ? "paused" : "running"))
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
