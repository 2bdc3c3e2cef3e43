/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import dev.baton.orchestrator.outbox.OutboxEffect;
import dev.baton.orchestrator.outbox.OutboxRelay;
import dev.baton.orchestrator.outbox.OutboxWriter;
import dev.baton.orchestrator.problem.ControlTextValidator;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.queue.QueuedStart;
import dev.baton.protocol.trace.TraceEvent;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Cancels runs. An ended run that is queued to be resumed only leaves the queue. */
@ApplicationScoped
public class RunCancellationService {
  private final Pool pool;
  private final OutboxRelay relay;

  RunCancellationService(Pool pool, OutboxRelay relay) {
    this.pool = pool;
    this.relay = relay;
  }

  /** Idempotent; fails with a problem when the run has ended. */
  public Uni<Void> cancel(String run, @Nullable String reason) {
    ControlTextValidator.check("reason", reason);
    return pool.withTransaction(tx -> cancel(tx, run, reason)).invoke(relay::wake);
  }

  private static Uni<Void> cancel(SqlConnection tx, String run, @Nullable String reason) {
    return tx.preparedQuery(
            "SELECT epoch, control_seq, ended, desired, status, queued_at FROM orchestrator.run WHERE id = $1 FOR UPDATE")
        .execute(Tuple.of(run))
        .chain(
            rows -> {
              for (Row row : rows) {
                return cancel(tx, run, reason, row);
              }
              throw RunQueryService.unknown(run);
            });
  }

  private static Uni<Void> cancel(SqlConnection tx, String run, @Nullable String reason, Row row) {
    DesiredState desired = DesiredState.of(row);
    if (desired == DesiredState.CANCELLED) {
      return Uni.createFrom().voidItem();
    }
    if (row.getBoolean("ended") && row.getOffsetDateTime("queued_at") != null) {
      return QueuedStart.withdraw(tx, run);
    }
    if (row.getBoolean("ended") || desired == DesiredState.LOST) {
      throw new ProblemException(
          ProblemKind.CONFLICT,
          "run "
              + run
              + " has ended ("
              + row.getString("status")
              + "); only an active run can be cancelled");
    }
    long seq = row.getLong("control_seq") + 1;
    List<OutboxEffect> effects =
        List.of(
            OutboxEffect.publish(new TraceEvent.RunCancelled(null, reason), seq, Instant.now()),
            new OutboxEffect.Stop(
                row.getInteger("epoch"), Objects.requireNonNullElse(reason, "cancelled")));
    return tx.preparedQuery(
            "UPDATE orchestrator.run SET desired = 'cancelled', control_seq = $2 WHERE id = $1")
        .execute(Tuple.of(run, seq))
        .chain(() -> QueuedStart.withdraw(tx, run))
        .chain(() -> OutboxWriter.appendNow(tx, new OutboxWriter.Row(run, effects)));
  }
}
