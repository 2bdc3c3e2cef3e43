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
 * The beginning of an epoch that somebody asked for, of a run that is not under way. It begins at
 * once, or, where the run's workflow has a limit, when {@link RunAdmissionController} finds a place
 * for it: until then nothing of the run changes but that it is queued, and nothing of it is on the
 * trace.
 *
 * @param epoch the new one
 * @param effects what it owes. The events among them get the run's next numbers when it begins
 * @param definition by which the run goes on from here; null: as before
 */
public record QueuedStart(
    String run, int epoch, List<OutboxEffect> effects, @Nullable NewDefinition definition) {
  /** Another version than the run's. */
  public record NewDefinition(String hash, IsolationMode isolation) {
    String isolationWord() {
      return isolation.name().toLowerCase(Locale.ROOT);
    }
  }

  public QueuedStart {
    effects = List.copyOf(effects);
  }

  /** Of a new run. */
  static QueuedStart first(String run) {
    return new QueuedStart(run, 1, OutboxEffect.firstEpoch(0), null);
  }

  /**
   * In the caller's transaction, which holds the run's row. The caller wakes the relay and {@link
   * RunAdmissionController} after the commit.
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

  /** {@link #beginOrQueue} of a run that has its place, or needs none. */
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

  /** Takes a run out of the queue, in the caller's transaction; the same when it is in none. */
  public static Uni<Void> withdraw(SqlConnection tx, String run) {
    return tx.preparedQuery(
            """
            UPDATE orchestrator.run SET queued_at = NULL, queued_effects = NULL, queued_definition = NULL,
              queued_isolation = NULL WHERE id = $1 AND queued_at IS NOT NULL""")
        .execute(Tuple.of(run))
        .replaceWithVoid();
  }
}
