/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import dev.baton.orchestrator.outbox.Effect;
import dev.baton.orchestrator.outbox.Outbox;
import dev.baton.orchestrator.outbox.Relay;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.TextLimits;
import dev.baton.orchestrator.queue.Start;
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

/** Ends a run on request. One that has ended and is queued to be resumed only leaves the queue. */
@ApplicationScoped
public class Cancellation {
  private final Pool pool;
  private final Relay relay;

  Cancellation(Pool pool, Relay relay) {
    this.pool = pool;
    this.relay = relay;
  }

  /** Cancelling twice is the same as once; fails with a problem when the run has ended. */
  public Uni<Void> cancel(String run, @Nullable String reason) {
    TextLimits.check("reason", reason);
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
              throw RunQueries.unknown(run);
            });
  }

  private static Uni<Void> cancel(SqlConnection tx, String run, @Nullable String reason, Row row) {
    String desired = row.getString("desired");
    if (desired.equals("cancelled")) {
      return Uni.createFrom().voidItem();
    }
    if (row.getBoolean("ended") && row.getOffsetDateTime("queued_at") != null) {
      return Start.withdraw(tx, run);
    }
    if (row.getBoolean("ended") || desired.equals("lost")) {
      throw new ProblemException(
          ProblemKind.CONFLICT,
          "run "
              + run
              + " has ended ("
              + row.getString("status")
              + "); only a run under way can be cancelled");
    }
    long seq = row.getLong("control_seq") + 1;
    List<Effect> effects =
        List.of(
            Effect.publish(new TraceEvent.RunCancelled(null, reason), seq, Instant.now()),
            new Effect.Stop(
                row.getInteger("epoch"), Objects.requireNonNullElse(reason, "cancelled")));
    return tx.preparedQuery(
            "UPDATE orchestrator.run SET desired = 'cancelled', control_seq = $2 WHERE id = $1")
        .execute(Tuple.of(run, seq))
        .chain(() -> Start.withdraw(tx, run))
        .chain(() -> Outbox.appendNow(tx, new Outbox.Row(run, effects)));
  }
}
