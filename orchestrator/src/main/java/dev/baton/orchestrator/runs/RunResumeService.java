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
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.queue.QueuedStart;
import dev.baton.orchestrator.queue.RunAdmissionController;
import dev.baton.orchestrator.workflows.StoredWorkflowDefinition;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.RunKind;
import dev.baton.protocol.trace.TraceEvent;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Resumes a failed, lost or paused run in its next epoch: with the step that failed, which gets all
 * its attempts again, or with the next step. A run in a crash loop gets its delayed runner at once.
 * Completed steps do not run again unless that is requested.
 */
@ApplicationScoped
public class RunResumeService {
  private static final String LOCK = " FOR UPDATE OF r";

  private final Pool pool;
  private final OutboxRelay relay;
  private final RunAdmissionController admission;
  private final RunQueryService queries;
  private final RunResumePlanner planner;

  RunResumeService(
      Pool pool,
      OutboxRelay relay,
      RunAdmissionController admission,
      RunQueryService queries,
      RunResumePlanner planner) {
    this.admission = admission;
    this.pool = pool;
    this.relay = relay;
    this.queries = queries;
    this.planner = planner;
  }

  /**
   * Fails with a problem when the run cannot be resumed.
   *
   * @param id of the run, or its last six characters
   * @param workflow {@code name} or {@code name@hash} that the run must have; null: any
   */
  public Uni<RunView> resume(String id, @Nullable String workflow, ResumeRequest asked) {
    asked.check();
    Executor caller = RunResumePlanner.caller();
    return queries
        .resolve(id)
        .call(
            run ->
                asked.isPlain()
                    ? plainly(run, workflow, caller)
                    : planned(run, workflow, asked, caller))
        .invoke(this::wake)
        .chain(queries::get);
  }

  private void wake() {
    relay.wake();
    admission.wake();
  }

  /**
   * Starts the next runner of a run in a crash loop at once, or resumes the run without changes.
   */
  private Uni<Void> plainly(String run, @Nullable String workflow, Executor caller) {
    return pool.withTransaction(tx -> hurry(tx, run, workflow))
        .chain(
            hurried ->
                hurried
                    ? Uni.createFrom().voidItem()
                    : resume(run, workflow, row -> planner.plain(run, caller)));
  }

  private static Uni<Boolean> hurry(SqlConnection tx, String run, @Nullable String workflow) {
    return tx.preparedQuery(
            """
            UPDATE orchestrator.run SET next_attempt_at = NULL WHERE id = $1 AND next_attempt_at > now()
              AND NOT ended AND desired = 'running' AND ($2::text IS NULL OR workflow = $2)""")
        .execute(Tuple.of(run, workflow))
        .chain(
            rows ->
                rows.rowCount() == 0
                    ? Uni.createFrom().item(false)
                    : OutboxWriter.hurry(tx, run).replaceWith(true));
  }

  private Uni<Void> planned(
      String run, @Nullable String workflow, ResumeRequest asked, Executor caller) {
    return resume(run, workflow, row -> planner.plan(run, definition(run, row), asked, caller));
  }

  /** Performs the plan only if the run is still in the epoch in which planning began. */
  private Uni<Void> resume(
      String run, @Nullable String workflow, Function<Row, Uni<RunResumePlanner.Plan>> plan) {
    return pool.withConnection(connection -> checked(connection, run, workflow, ""))
        .chain(
            row ->
                plan.apply(row)
                    .chain(
                        made -> pool.withTransaction(tx -> resume(tx, run, workflow, row, made))));
  }

  private static String definition(String run, Row row) {
    String hash = row.getString("definition_hash");
    if (hash == null) {
      throw conflict("run %s has no definition".formatted(run));
    }
    return hash;
  }

  private static Uni<Row> checked(
      SqlConnection connection, String run, @Nullable String workflow, String lock) {
    return connection
        .preparedQuery(
            """
            SELECT kind, workflow, definition_hash, epoch, control_seq, ended, deleting, desired, pause, status, deadline, deadline <= clock_timestamp() AS overdue, queued_at,
              runner_id IS NULL AND NOT EXISTS (SELECT FROM orchestrator.outbox o WHERE o.run = r.id) AS abandoned,
              EXISTS (SELECT FROM orchestrator.workflow w WHERE w.hash = r.definition_hash) AS defined
            FROM orchestrator.run r WHERE id = $1"""
                + lock)
        .execute(Tuple.of(run))
        .map(
            rows -> {
              for (Row row : rows) {
                check(run, row, workflow);
                return row;
              }
              throw RunQueryService.unknown(run);
            });
  }

  private static Uni<Void> resume(
      SqlConnection tx,
      String run,
      @Nullable String workflow,
      Row seen,
      RunResumePlanner.Plan plan) {
    return checked(tx, run, workflow, LOCK)
        .chain(
            row -> {
              if (!row.getInteger("epoch").equals(seen.getInteger("epoch"))) {
                throw conflict(
                    "run %s was resumed by another request meanwhile; read its status again"
                        .formatted(run));
              }
              return resume(tx, run, row, plan);
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
          "run %s has completed and cannot be resumed; fork it to start from one of its checkpoints"
              .formatted(run));
    }
    if (status.equals(RunStatus.CANCELLED.word())
        || DesiredState.of(row) == DesiredState.CANCELLED) {
      throw conflict(
          "run %s was cancelled and cannot be resumed; fork it to start from one of its checkpoints"
              .formatted(run));
    }
    if (row.getBoolean("deleting")) {
      throw conflict("run %s is being deleted and cannot be resumed".formatted(run));
    }
    if (row.getOffsetDateTime("queued_at") != null) {
      throw conflict("run %s is queued to be resumed already".formatted(run));
    }
    boolean paused =
        status.equals(RunStatus.PAUSED.word()) || DesiredState.of(row) == DesiredState.PAUSED;
    // A run imported from an archive may wait without a runner.
    if (!row.getBoolean("ended") && !paused && !row.getBoolean("abandoned")) {
      throw conflict(
          row.getString("pause") == null
              ? "run %s is %s: only one that failed, was lost or is paused can be resumed"
                  .formatted(run, status)
              : "run %s is still %s: it can be resumed once it is paused".formatted(run, status));
    }
    if (RunKind.of(row.getString("kind")) != RunKind.MANAGED) {
      throw conflict("run %s is external: the orchestrator cannot start its runner".formatted(run));
    }
    if (!row.getBoolean("defined")) {
      throw conflict(
          "the definition %s of run %s is not stored here: put the same workflow first"
              .formatted(row.getString("definition_hash"), run));
    }
    if (Boolean.TRUE.equals(row.getBoolean("overdue"))) {
      throw conflict(
          "deadline_exceeded: the deadline of run %s was %s; a fork may have another deadline"
              .formatted(run, row.getOffsetDateTime("deadline").toInstant()));
    }
  }

  private static ProblemException conflict(String message) {
    return new ProblemException(ProblemKind.CONFLICT, message);
  }

  /** The row includes the run's end or pause, so the new epoch continues from there. */
  private static Uni<Void> resume(
      SqlConnection tx, String run, Row row, RunResumePlanner.Plan plan) {
    int epoch = row.getInteger("epoch") + 1;
    List<OutboxEffect> effects = new ArrayList<>();
    TraceEvent.ResumeRequested otherwise = plan.event();
    long seq = row.getLong("control_seq");
    if (otherwise != null) {
      effects.add(OutboxEffect.publish(otherwise, seq + 1, Instant.now()));
    }
    effects.addAll(OutboxEffect.newEpoch(epoch, TraceEvent.RunnerAssigned.RESUME, seq + 1));
    StoredWorkflowDefinition next = plan.definition();
    return new QueuedStart(
            run,
            epoch,
            effects,
            next == null
                ? null
                : new QueuedStart.NewDefinition(next.hash(), next.workflow().isolation()))
        .beginOrQueue(tx, seq);
  }
}
