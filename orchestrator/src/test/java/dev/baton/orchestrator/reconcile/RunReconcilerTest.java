/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.orchestrator.outbox.OutboxEffect;
import dev.baton.orchestrator.outbox.OutboxWriter;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.trace.RunId;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Transaction;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class RunReconcilerTest {
  private static final Duration SQL = Duration.ofSeconds(10);

  @Inject Pool pool;
  @Inject RunReconciler reconciler;
  @Inject RunTransaction transaction;

  private final List<String> runs = new ArrayList<>();

  @AfterEach
  void deleteRuns() {
    for (String table : List.of("outbox WHERE run", "parked WHERE run", "run WHERE id")) {
      query(
          "DELETE FROM orchestrator." + table + " = ANY($1)", (Object) runs.toArray(String[]::new));
    }
  }

  private RowSet<Row> query(String sql, Object... values) {
    return pool.preparedQuery(sql).execute(Tuple.from(values)).await().atMost(SQL);
  }

  /** Inserts a run that no runner executes and whose effects nothing performs. */
  private String insert(String more, Object... values) {
    String run = RunId.next();
    runs.add(run);
    query(
        """
        INSERT INTO orchestrator.run (id, project, kind, workflow, isolation, restart, created_at, epoch, control_seq, status, started_epoch)
        VALUES ($1, 'default', 'managed', 'unknown', 'shared', 'always', now(), 1, 2, 'running', 1)""",
        run);
    if (!more.isEmpty()) {
      List<Object> all = new ArrayList<>(List.of(run));
      all.addAll(List.of(values));
      query("UPDATE orchestrator.run SET " + more + " WHERE id = $1", all.toArray());
    }
    return run;
  }

  private static RunObservation lost(String run) {
    return new RunObservation.RunnerLost(
        new RunnerSignal.RunnerExited(run, 1, "r", 137),
        Duration.ZERO,
        RunObservation.TraceKnowledge.CAUGHT_UP);
  }

  private Row row(String run) {
    return query("SELECT * FROM orchestrator.run WHERE id = $1", run).iterator().next();
  }

  private List<OutboxEffect> owed(String run) {
    List<OutboxEffect> effects = new ArrayList<>();
    query("SELECT effects FROM orchestrator.outbox WHERE run = $1 ORDER BY id", run)
        .forEach(row -> effects.addAll(OutboxWriter.read(row.getString("effects"))));
    return effects;
  }

  /** Performs in a transaction that is rolled back, so that no worker performs the effects. */
  private void inTransaction(Function<SqlConnection, Uni<?>> work) {
    SqlConnection connection = pool.getConnection().await().atMost(SQL);
    try {
      Transaction tx = connection.begin().await().atMost(SQL);
      work.apply(connection).await().atMost(SQL);
      tx.rollback().await().atMost(SQL);
    } finally {
      connection.closeAndForget();
    }
  }

  @Test
  void shouldPlanForManyRunsAtOnceAndEachForItself() {
    Map<String, RunObservation> observed = new LinkedHashMap<>();
    String advanced = insert("");
    String paused = insert("pause = 'step'");
    String over = insert("epoch = 5");
    for (String run : List.of(advanced, paused, over)) {
      observed.put(run, lost(run));
    }
    observed.put(RunId.next(), lost("unknown"));

    inTransaction(
        tx ->
            transaction
                .performFree(tx, observed)
                .invoke(
                    plans -> {
                      assertThat(plans).containsOnlyKeys(advanced, paused, over);
                      assertThat(Objects.requireNonNull(plans.get(advanced)).outcome())
                          .isEqualTo(new RunOutcome.EpochBegun(2, "runner_exited", Duration.ZERO));
                      assertThat(Objects.requireNonNull(plans.get(paused)).outcome())
                          .isEqualTo(new RunOutcome.EpochPaused(2, "runner_exited"));
                      assertThat(Objects.requireNonNull(plans.get(over)).hasChange()).isFalse();
                    })
                .chain(
                    () ->
                        tx.preparedQuery(
                                """
                                SELECT r.id, r.epoch, r.control_seq, r.desired, o.effects FROM orchestrator.run r
                                LEFT JOIN orchestrator.outbox o ON o.run = r.id WHERE r.id = ANY($1) ORDER BY r.control_seq, r.epoch""")
                            .execute(Tuple.of(runs.toArray(String[]::new))))
                .invoke(
                    rows -> {
                      List<String> seen = new ArrayList<>();
                      rows.forEach(
                          row ->
                              seen.add(
                                  "%d %d %s %b"
                                      .formatted(
                                          row.getInteger("epoch"),
                                          row.getLong("control_seq"),
                                          row.getString("desired"),
                                          row.getString("effects") != null)));
                      assertThat(seen)
                          .containsExactly(
                              "5 2 running false", "2 3 running true", "2 4 paused true");
                    }));
  }

  @Test
  void shouldSeeThatARunWasParkedWhileItsRowWasLocked() {
    String run = insert("runner_id = 'r'");
    SqlConnection other = pool.getConnection().await().atMost(SQL);
    try {
      Transaction parking = other.begin().await().atMost(SQL);
      other
          .preparedQuery("UPDATE orchestrator.run SET runner_id = NULL WHERE id = $1")
          .execute(Tuple.of(run))
          .chain(
              () ->
                  other
                      .preparedQuery(
                          "INSERT INTO orchestrator.parked (run, epoch, parked_at) VALUES ($1, 1, now())")
                      .execute(Tuple.of(run)))
          .await()
          .atMost(SQL);
      // A request, which waits longer for the lock.
      var cancelled =
          reconciler
              .reconcile(run, new RunObservation.PauseRequested(PauseMode.STEP, null))
              .subscribeAsCompletionStage();
      awaitWaiting();

      parking.commit().await().atMost(SQL);

      RunPlan plan = cancelled.orTimeout(10, TimeUnit.SECONDS).join().orElseThrow();
      assertThat(plan.before().isParked()).isTrue();
      assertThat(plan.outcome()).isEqualTo(new RunOutcome.Changed("paused"));
      assertThat(query("SELECT 1 FROM orchestrator.parked WHERE run = $1", run).size()).isZero();
      assertThat(row(run).getString("status")).isEqualTo("paused");
    } finally {
      other.closeAndForget();
    }
  }

  /** Waits until a transaction waits for the lock of a row. */
  private void awaitWaiting() {
    long end = System.nanoTime() + SQL.toNanos();
    while (query("SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'").size()
        == 0) {
      assertThat(System.nanoTime()).as("time until a transaction waits").isLessThan(end);
      LockSupport.parkNanos(5_000_000);
    }
  }

  @Test
  void shouldFailWhenARowStaysLockedAndHandleTheOtherRuns() {
    String locked = insert("");
    String free = insert("epoch = 3");
    SqlConnection other = pool.getConnection().await().atMost(SQL);
    try {
      Transaction holding = other.begin().await().atMost(SQL);
      other
          .preparedQuery("SELECT id FROM orchestrator.run WHERE id = $1 FOR UPDATE")
          .execute(Tuple.of(locked))
          .await()
          .atMost(SQL);

      assertThatThrownBy(() -> reconciler.reconcile(locked, lost(locked)).await().atMost(SQL))
          .hasMessageContaining("lock timeout");
      Optional<RunPlan> plan = reconciler.reconcile(free, lost(free)).await().atMost(SQL);

      assertThat(plan.orElseThrow().outcome())
          .isEqualTo(new RunOutcome.Unchanged("epoch 1 is over"));
      holding.rollback().await().atMost(SQL);
    } finally {
      other.closeAndForget();
    }
    assertThat(row(locked).getInteger("epoch")).isEqualTo(1);
    assertThat(owed(locked)).isEmpty();
    assertThat(reconciler.reconcile(RunId.next(), lost("x")).await().atMost(SQL)).isEmpty();
  }

  @Test
  void shouldAgreeWithTheViewOnWhichRunsWantARunner() {
    int wanting = 0;
    for (String desired : List.of("running", "paused", "cancelled", "lost")) {
      for (String status : List.of("running", "paused", "pausing", "interrupted")) {
        for (String kind : List.of("managed", "external")) {
          for (boolean flag : new boolean[] {false, true}) {
            wanting += check(desired, status, kind, flag, false, null);
            wanting += check(desired, status, kind, false, flag, null);
            wanting += check(desired, status, kind, false, false, flag ? 1 : 2);
          }
        }
      }
    }
    assertThat(wanting).isPositive();
  }

  private int check(
      String desired,
      String status,
      String kind,
      boolean ended,
      boolean queued,
      @Nullable Integer parked) {
    String run =
        insert(
            "desired = $2, status = $3, kind = $4, ended = $5, queued_at = CASE WHEN $6::boolean THEN now() END, epoch = 2",
            desired,
            status,
            kind,
            ended,
            queued);
    if (parked != null) {
      query(
          "INSERT INTO orchestrator.parked (run, epoch, parked_at) VALUES ($1, $2, now())",
          run,
          parked);
    }
    boolean inView =
        query("SELECT 1 FROM orchestrator.run_wanting_runner WHERE id = $1", run).size() > 0;
    RunRow row =
        transaction
            .plan(pool, run, new RunObservation.RunnerAttached(null, false))
            .await()
            .atMost(SQL)
            .orElseThrow()
            .before();
    assertThat(row.wantsRunner(2))
        .as("%s %s %s ended %s queued %s parked %s", desired, status, kind, ended, queued, parked)
        .isEqualTo(inView);
    return inView ? 1 : 0;
  }

  @Test
  void shouldWriteAndReadEveryColumnThatAPlanChanges() {
    String run =
        insert(
            "pause = 'now', status = 'failed', ended = true, runner_id = 'r', fruitless = 4, deaths = 2, died_in = '[\"a\"]',"
                + " next_attempt_at = now() + interval '1 hour', confirmed_epoch = 1, confirmed_at = $2, error = '{}', ended_at = now(),"
                + " definition_hash = 'h', completed = 3",
            Instant.parse("2026-01-01T00:00:00Z").atOffset(ZoneOffset.UTC));
    inTransaction(
        tx ->
            tx.query(
                    "INSERT INTO orchestrator.workflow (hash, name, definition) VALUES ('h', 'unknown', '{}')")
                .execute()
                .chain(
                    () ->
                        transaction.perform(
                            tx, run, new RunObservation.ResumeRequested(null, 1, null, null)))
                .invoke(
                    plan ->
                        assertThat(plan.orElseThrow().outcome())
                            .isEqualTo(new RunOutcome.EpochBegun(2, "resume", Duration.ZERO)))
                .chain(
                    plan ->
                        transaction
                            .perform(tx, run, new RunObservation.RunnerReconnected("r-1", 1))
                            .invoke(
                                read -> {
                                  RunControl expected = plan.orElseThrow().next();
                                  assertThat(read.orElseThrow().before().control())
                                      .isEqualTo(expected);
                                })));
  }
}
