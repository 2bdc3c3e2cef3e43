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
 * Confirms or fences a runner that was disconnected, suspended a run and has reconnected. The
 * update of the run's row orders this confirmation and a failover: the one that commits first wins,
 * the other sees it.
 */
@ApplicationScoped
class EpochConfirmationHandler {
  private static final Logger LOG = Logger.getLogger(EpochConfirmationHandler.class);
  private static final Duration SQL = Duration.ofSeconds(10);

  private final Pool pool;

  EpochConfirmationHandler(Pool pool) {
    this.pool = pool;
  }

  /** Sends the answer; when it cannot be determined, nothing is sent and the runner retries. */
  void answer(RunnerConnection runner, Confirm asked) {
    confirm(asked)
        .subscribe()
        .with(
            answer -> {
              LOG.infof(
                  "run %s: runner %s has reconnected in epoch %d: %s",
                  asked.getRun(),
                  runner.runner(),
                  asked.getEpoch(),
                  answer.hasConfirmed() ? "confirmed" : "fenced or cancelled");
              runner.send(answer);
            },
            failure ->
                LOG.warnf(
                    "run %s: cannot check whether epoch %d is current: %s",
                    asked.getRun(), asked.getEpoch(), failure));
  }

  /**
   * Confirms the epoch if the run is still desired to run in it. A run that has ended in this epoch
   * has no other runner, so its runner may still complete the end. A pause counts as an end.
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
