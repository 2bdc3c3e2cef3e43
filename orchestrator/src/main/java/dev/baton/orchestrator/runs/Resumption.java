/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import dev.baton.orchestrator.outbox.Effect;
import dev.baton.orchestrator.outbox.Relay;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.queue.Admission;
import dev.baton.orchestrator.queue.Start;
import dev.baton.protocol.state.RunStatus;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lets a run that failed or was lost go on, in its next epoch: with the step that failed, which
 * gets all its attempts again. What has completed is not run again.
 */
@ApplicationScoped
class Resumption {
  private final Pool pool;
  private final Relay relay;
  private final Admission admission;
  private final RunQueries queries;

  Resumption(Pool pool, Relay relay, Admission admission, RunQueries queries) {
    this.admission = admission;
    this.pool = pool;
    this.relay = relay;
    this.queries = queries;
  }

  /**
   * Fails with a problem when nothing can go on.
   *
   * @param id the run's, or the last six characters of it
   * @param workflow {@code name} or {@code name@hash} that the run must be of; null: any
   */
  Uni<RunView> resume(String id, @Nullable String workflow) {
    return queries
        .resolve(id)
        .call(run -> pool.withTransaction(tx -> resume(tx, run, workflow)).invoke(this::wake))
        .chain(queries::get);
  }

  private void wake() {
    relay.wake();
    admission.wake();
  }

  private static Uni<Void> resume(SqlConnection tx, String run, @Nullable String workflow) {
    return tx.preparedQuery(
            """
            SELECT kind, workflow, definition_hash, epoch, control_seq, ended, status, deadline, queued_at,
              runner_id IS NULL AND NOT EXISTS (SELECT FROM orchestrator.outbox o WHERE o.run = r.id) AS abandoned,
              EXISTS (SELECT FROM orchestrator.workflow w WHERE w.hash = r.definition_hash) AS defined
            FROM orchestrator.run r WHERE id = $1 FOR UPDATE OF r""")
        .execute(Tuple.of(run))
        .chain(
            rows -> {
              for (Row row : rows) {
                check(run, row, workflow);
                return resume(tx, run, row);
              }
              throw RunQueries.unknown(run);
            });
  }

  private static void check(String run, Row row, @Nullable String workflow) {
    String name = Objects.requireNonNullElse(row.getString("workflow"), "");
    if (workflow != null
        && !workflow.equals(name)
        && !workflow.equals(name + "@" + row.getString("definition_hash"))) {
      throw conflict("run %s is of workflow '%s', not of '%s'".formatted(run, name, workflow));
    }
    String status = row.getString("status");
    if (status.equals(RunStatus.COMPLETED.word())) {
      throw conflict(
          "run %s has completed: there is nothing to go on with; a fork of it starts from one of its cuts"
              .formatted(run));
    }
    if (status.equals(RunStatus.CANCELLED.word())) {
      throw conflict(
          "run %s was cancelled, which is for good; a fork of it starts from one of its cuts"
              .formatted(run));
    }
    if (row.getOffsetDateTime("queued_at") != null) {
      throw conflict("run %s is queued to be resumed already".formatted(run));
    }
    // One that came out of an archive may wait without anybody here who carries it.
    if (!row.getBoolean("ended") && !row.getBoolean("abandoned")) {
      throw conflict(
          "run %s is %s: only one that failed or was lost can be resumed".formatted(run, status));
    }
    if (!row.getString("kind").equals("managed")) {
      throw conflict("run %s is external: nobody here can start its runner".formatted(run));
    }
    if (!row.getBoolean("defined")) {
      throw conflict(
          "the definition %s of run %s is not known here: put the same workflow first"
              .formatted(row.getString("definition_hash"), run));
    }
    OffsetDateTime deadline = row.getOffsetDateTime("deadline");
    if (deadline != null && !deadline.toInstant().isAfter(Instant.now())) {
      throw conflict(
          "the deadline of run %s was %s; a fork of it may have another"
              .formatted(run, deadline.toInstant()));
    }
  }

  private static ProblemException conflict(String message) {
    return new ProblemException(ProblemKind.CONFLICT, message);
  }

  /** The view has folded the run's end, so that it will go on with this. */
  private static Uni<Void> resume(SqlConnection tx, String run, Row row) {
    int epoch = row.getInteger("epoch") + 1;
    long seq = row.getLong("control_seq");
    return new Start(run, epoch, Effect.newEpoch(epoch, "resume", seq + 1), null)
        .beginOrQueue(tx, seq);
  }
}
