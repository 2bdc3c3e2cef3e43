/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.protocol.grpc.Cancel;
import dev.baton.protocol.grpc.Confirm;
import dev.baton.protocol.grpc.Confirmed;
import dev.baton.protocol.grpc.Fenced;
import dev.baton.protocol.grpc.GatewayMessage;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import org.jboss.logging.Logger;

/**
 * Answers runners that were cut off, suspended a run and have come back: whether they still hold
 * it. The update of the run's row is the one point at which coming back and being replaced are put
 * in order: whichever of the two is committed first holds, the other finds it.
 */
@ApplicationScoped
class EpochConfirmationHandler {
  private static final Logger LOG = Logger.getLogger(EpochConfirmationHandler.class);
  private static final Duration SQL = Duration.ofSeconds(10);

  private final Pool pool;

  EpochConfirmationHandler(Pool pool) {
    this.pool = pool;
  }

  /** Sends the answer; where none can be had nothing is sent, and the runner asks again. */
  void answer(RunnerConnection runner, Confirm asked) {
    confirm(asked)
        .subscribe()
        .with(
            answer -> {
              LOG.infof(
                  "run %s: runner %s has come back in epoch %d: %s",
                  asked.getRun(),
                  runner.runner(),
                  asked.getEpoch(),
                  answer.hasConfirmed() ? "it goes on" : "it is over");
              runner.send(answer);
            },
            failure ->
                LOG.warnf(
                    "run %s: whether epoch %d is still current is not known: %s",
                    asked.getRun(), asked.getEpoch(), failure));
  }

  /**
   * A run that has ended in this epoch is nobody else's: its runner may see to its own end. A pause
   * is an end, too.
   */
  Uni<GatewayMessage> confirm(Confirm asked) {
    return pool.preparedQuery(
            """
            UPDATE orchestrator.run SET confirmed_at = clock_timestamp(), confirmed_epoch = epoch
            WHERE id = $1 AND epoch = $2 AND desired = 'running' AND kind = 'managed' RETURNING id""")
        .execute(Tuple.of(asked.getRun(), asked.getEpoch()))
        .chain(
            rows ->
                rows.rowCount() > 0
                    ? Uni.createFrom().item(confirmed(asked))
                    : isCancelled(asked)
                        .map(cancelled -> cancelled ? cancel(asked) : fenced(asked)))
        .ifNoItem()
        .after(SQL)
        .fail();
  }

  private Uni<Boolean> isCancelled(Confirm asked) {
    return pool.preparedQuery(
            "SELECT desired = 'cancelled' AND epoch = $2 AS cancelled FROM orchestrator.run WHERE id = $1")
        .execute(Tuple.of(asked.getRun(), asked.getEpoch()))
        .map(
            rows -> {
              for (Row row : rows) {
                return row.getBoolean("cancelled");
              }
              return false;
            });
  }

  private static GatewayMessage confirmed(Confirm asked) {
    return GatewayMessage.newBuilder()
        .setConfirmed(
            Confirmed.newBuilder()
                .setRun(asked.getRun())
                .setEpoch(asked.getEpoch())
                .setSuspension(asked.getSuspension()))
        .build();
  }

  private static GatewayMessage cancel(Confirm asked) {
    return GatewayMessage.newBuilder()
        .setCancel(Cancel.newBuilder().setRun(asked.getRun()).setReason("cancelled"))
        .build();
  }

  private static GatewayMessage fenced(Confirm asked) {
    return GatewayMessage.newBuilder()
        .setFenced(Fenced.newBuilder().setRun(asked.getRun()).setEpoch(asked.getEpoch()))
        .build();
  }
}
