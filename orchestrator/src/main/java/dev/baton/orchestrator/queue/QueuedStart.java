/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.queue;

import dev.baton.orchestrator.outbox.OutboxEffect;
import dev.baton.orchestrator.outbox.OutboxWriter;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.workflow.IsolationMode;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A requested start of an epoch for a run that is not active. It begins at once, or, when the run's
 * workflow has a limit, when {@link RunAdmissionController} admits the run. Until then the run's
 * row only changes to queued, and the trace does not change.
 *
 * @param epoch the new epoch
 * @param effects to perform; its events get the run's next numbers when the epoch begins
 * @param definition with which the run continues; null for its current one
 */
public record QueuedStart(
    String run, int epoch, List<OutboxEffect> effects, @Nullable NewDefinition definition) {
  /** A version other than the run's current one. */
  public record NewDefinition(String hash, IsolationMode isolation) {
    String isolationWord() {
      return isolation.name().toLowerCase(Locale.ROOT);
    }
  }

  public QueuedStart {
    effects = List.copyOf(effects);
  }

  /** The start of a new run. */
  static QueuedStart first(String run) {
    return new QueuedStart(run, 1, OutboxEffect.firstEpoch(0), null);
  }

  /**
   * Begins or queues the epoch in the caller's transaction, which holds the lock of the run's row.
   * The caller wakes the relay and {@link RunAdmissionController} after the commit.
   *
   * @param controlSeq the last number of the run's control lane
   */
  public Uni<Void> beginOrQueue(SqlConnection tx, long controlSeq) {
    return tx.preparedQuery(
            """
            UPDATE orchestrator.run r SET queued_at = now(), queued_effects = $2, queued_definition = $3, queued_isolation = $4
            WHERE id = $1 AND kind = 'managed' AND EXISTS (
              SELECT 1 FROM orchestrator.concurrency_limit c WHERE c.workflow = r.workflow)""")
        .execute(
            Tuple.of(
                run,
                OutboxWriter.write(effects),
                definition == null ? null : definition.hash(),
                definition == null ? null : definition.isolationWord()))
        .chain(
            queued -> queued.rowCount() > 0 ? Uni.createFrom().voidItem() : begin(tx, controlSeq));
  }

  /** Begins the epoch of a run that is admitted or needs no admission. */
  Uni<Void> begin(SqlConnection tx, long controlSeq) {
    List<OutboxEffect> numbered = new ArrayList<>(effects.size());
    long seq = controlSeq;
    for (OutboxEffect effect : effects) {
      numbered.add(
          effect instanceof OutboxEffect.Publish publish
              ? publish.at(++seq, Instant.now())
              : effect);
    }
    return tx.preparedQuery(
            """
            UPDATE orchestrator.run SET epoch = $2, certain_epoch = $2, control_seq = $3, queued_at = NULL, queued_effects = NULL,
              queued_definition = NULL, queued_isolation = NULL,
              definition_hash = COALESCE($5, definition_hash), isolation = COALESCE($6, isolation),
              desired = 'running', pause = NULL, ended = false, ended_at = NULL, error = NULL,
              status = CASE WHEN $2 = 1 THEN status ELSE $4 END,
              runner_id = NULL, assigned_at = NULL, runner_pid = NULL, runner_host = NULL,
              fruitless = 0, completed_at_failover = completed, deaths = 0, died_in = NULL
            WHERE id = $1""")
        .execute(
            Tuple.of(
                run,
                epoch,
                seq,
                RunStatus.RESUMING.word(),
                definition == null ? null : definition.hash(),
                definition == null ? null : definition.isolationWord()))
        .chain(() -> OutboxWriter.append(tx, new OutboxWriter.Row(run, numbered), Duration.ZERO));
  }

  /** Removes a run from the queue in the caller's transaction; no effect when it is not queued. */
  public static Uni<Void> withdraw(SqlConnection tx, String run) {
    return tx.preparedQuery(
            """
            UPDATE orchestrator.run SET queued_at = NULL, queued_effects = NULL, queued_definition = NULL,
              queued_isolation = NULL WHERE id = $1 AND queued_at IS NOT NULL""")
        .execute(Tuple.of(run))
        .replaceWithVoid();
  }
}
