/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.outbox;

import dev.baton.orchestrator.replicas.ReplicaBus;
import dev.baton.orchestrator.replicas.ReplicaMessage;
import dev.baton.orchestrator.replicas.ReplicaSession;
import dev.baton.protocol.retry.Backoff;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Transaction;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Performs the effects in the outbox. A round claims rows, performs their effects and deletes them
 * in one transaction that holds an advisory lock per run. So the rows of a run are performed in
 * order and by one worker at a time across all replicas, and a worker's death releases them at
 * once. A worker whose database session breaks continues the effects it has started, so another
 * worker may perform them concurrently; therefore all effects must be idempotent. Writers of new
 * rows never wait for these locks.
 */
@ApplicationScoped
public class OutboxRelay {
  private static final Logger LOG = Logger.getLogger(OutboxRelay.class);
  private static final int WORKERS = 3;
  private static final int MAX_ROWS = 512;
  private static final int MAX_SCAN = 8 * MAX_ROWS;
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration SQL = Duration.ofSeconds(20);
  private static final long FIRST_BACKOFF_MILLIS = 200;

  // A separate lock space among the database's advisory locks.
  static final long LOCK_SPACE = 0x6261746f6eL;

  private final Pool pool;
  private final OutboxEffectExecutor performer;
  private final ReplicaBus bus;
  private final ReplicaSession session;
  private final OutboxCompletions awaited;
  private final Semaphore wakeUps = new Semaphore(0);
  private final AtomicLong lastRound = new AtomicLong(System.nanoTime());
  private volatile boolean stopping;

  OutboxRelay(
      Pool pool,
      OutboxEffectExecutor performer,
      ReplicaBus bus,
      ReplicaSession session,
      OutboxCompletions awaited) {
    this.awaited = awaited;
    this.bus = bus;
    this.session = session;
    this.pool = pool;
    this.performer = performer;
  }

  void onStart(@Observes @Priority(3000) StartupEvent event) {
    for (int worker = 1; worker <= WORKERS; worker++) {
      Thread.ofVirtual().name("outbox-" + worker).start(this::work);
    }
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    stopping = true;
    wakeUps.release(WORKERS);
  }

  /** Wakes a worker for new rows. Never blocks. */
  public void wake() {
    if (wakeUps.availablePermits() < WORKERS) {
      wakeUps.release();
    }
  }

  void onSlots(@Observes RunnerSlotsFreedEvent event) {
    pool.query(
            "UPDATE orchestrator.outbox SET not_before = now(), awaits_slot = false WHERE awaits_slot")
        .execute()
        .subscribe()
        .with(updated -> wake(), failure -> LOG.warnf("outbox: launches not woken: %s", failure));
  }

  /** The replica's own effect has ended; until then the row is tried several times per second. */
  void onEffect(@Observes OutboxEffectEndedEvent event) {
    pool.preparedQuery("UPDATE orchestrator.outbox SET not_before = now() WHERE id = $1")
        .execute(Tuple.of(event.row()))
        .subscribe()
        .with(
            updated -> wake(),
            failure -> LOG.debugf("outbox: row %d not woken: %s", event.row(), failure));
  }

  private void work() {
    while (!stopping) {
      try {
        if (round() == 0) {
          awaitTurn();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      } catch (RuntimeException e) {
        if (!stopping) {
          LOG.warnf("outbox: round failed, retrying: %s", e);
          Backoff.constant(POLL).pauseUnlessInterrupted();
        }
      } catch (Throwable e) {
        // The worker must not end, since nothing would restart it.
        LOG.error("outbox: round failed, retrying", e);
        Backoff.constant(POLL).pauseUnlessInterrupted();
      }
    }
  }

  /**
   * Waits until a worker is woken, or until no round has begun for {@link #POLL}: one of the idle
   * workers then reads the rows that are due, whether the others are busy or not.
   */
  private void awaitTurn() throws InterruptedException {
    while (!stopping) {
      long last = lastRound.get();
      long now = System.nanoTime();
      long rest = last + POLL.toNanos() - now;
      if (rest <= 0) {
        if (lastRound.compareAndSet(last, now)) {
          return;
        }
      } else if (wakeUps.tryAcquire(rest, TimeUnit.NANOSECONDS)) {
        wakeUps.drainPermits();
        lastRound.set(System.nanoTime());
        return;
      }
    }
  }

  /** Returns the number of claimed rows. */
  private int round() {
    SqlConnection connection = connection();
    try {
      Transaction tx = on(connection.begin());
      List<ClaimedOutboxRow> rows = claim(connection);
      if (stopping) {
        on(tx.rollback());
        return 0;
      }
      if (rows.isEmpty()) {
        on(tx.commit());
        return 0;
      }
      Map<Long, OutboxRowResult> results = performer.perform(rows);
      List<ClaimedOutboxRow> done = settle(connection, results, rows);
      if (!session.isAlone() && results.values().stream().anyMatch(OutboxRelay::awaitsSlot)) {
        on(bus.tell(connection, new ReplicaMessage.SlotWanted()));
      }
      on(tx.commit());
      awaited.done(done);
      return rows.size();
    } finally {
      connection.closeAndForget();
    }
  }

  private static boolean awaitsSlot(OutboxRowResult result) {
    return result instanceof OutboxRowResult.Postponed(_, OutboxRowResult.Awaits awaits)
        && awaits == OutboxRowResult.Awaits.SLOT;
  }

  /** A connection that is granted after the timeout is closed. */
  private SqlConnection connection() {
    CompletableFuture<SqlConnection> granted = pool.getConnection().subscribeAsCompletionStage();
    try {
      return granted.get(SQL.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      granted.thenAccept(SqlConnection::closeAndForget);
      throw new IllegalStateException("no connection to Postgres: " + e, e);
    } catch (InterruptedException e) {
      granted.thenAccept(SqlConnection::closeAndForget);
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static List<ClaimedOutboxRow> claim(SqlConnection tx) {
    List<Long> ids = new ArrayList<>();
    for (Row row :
        on(
            tx.preparedQuery(
                    """
                    SELECT o.id FROM (
                      SELECT id, run, priority FROM orchestrator.outbox c
                      WHERE (not_before <= now() OR awaits_slot AND EXISTS (
                          SELECT 1 FROM orchestrator.outbox w WHERE w.awaits_slot AND w.not_before <= now()))
                        AND NOT EXISTS (SELECT 1 FROM orchestrator.outbox e
                          WHERE e.run = c.run AND e.id < c.id AND e.not_before > now())
                      ORDER BY priority DESC, id LIMIT $1) o
                    WHERE pg_try_advisory_xact_lock(hashtextextended(o.run, $2)) LIMIT $3""")
                .execute(Tuple.of(MAX_SCAN, LOCK_SPACE, MAX_ROWS)))) {
      ids.add(row.getLong("id"));
    }
    if (ids.isEmpty()) {
      return List.of();
    }
    // Read after the locks were acquired: another worker may have completed a row in between.
    List<ClaimedOutboxRow> rows = new ArrayList<>();
    Set<String> broken = new HashSet<>();
    for (Row row :
        on(
            tx.preparedQuery(
                    """
                    SELECT o.id, o.run, o.effects, o.attempts, r.home_partition, r.signed IS TRUE AS signed FROM orchestrator.outbox o
                    LEFT JOIN orchestrator.run r ON r.id = o.run WHERE o.id = ANY($1) ORDER BY o.id""")
                .execute(Tuple.of(ids.toArray(Long[]::new))))) {
      String run = row.getString("run");
      if (broken.contains(run)) {
        continue; // A run's rows are performed in order.
      }
      try {
        rows.add(
            new ClaimedOutboxRow(
                row.getLong("id"),
                run,
                row.getInteger("home_partition"),
                row.getBoolean("signed"),
                OutboxWriter.read(row.getString("effects")),
                row.getInteger("attempts")));
      } catch (RuntimeException e) {
        LOG.errorf("run %s: %s", run, e.getMessage());
        broken.add(run);
        putAside(tx, row.getLong("id"));
      }
    }
    return rows;
  }

  /** Postpones a row that cannot be read until another version, or an operator, can handle it. */
  private static void putAside(SqlConnection tx, long id) {
    on(
        tx.preparedQuery(
                """
                UPDATE orchestrator.outbox SET attempts = attempts + 1,
                  not_before = now() + interval '1 millisecond' * $2::bigint WHERE id = $1""")
            .execute(Tuple.of(id, OutboxRowResult.Awaits.NOTHING.longestMillis())));
  }

  /** Stores the results; returns the completed rows. */
  private static List<ClaimedOutboxRow> settle(
      SqlConnection tx, Map<Long, OutboxRowResult> results, List<ClaimedOutboxRow> rows) {
    List<ClaimedOutboxRow> done = new ArrayList<>();
    Map<OutboxRowResult.Awaits, List<Long>> waiting = new EnumMap<>(OutboxRowResult.Awaits.class);
    for (ClaimedOutboxRow row : rows) {
      OutboxRowResult result = results.get(row.id());
      switch (result) {
        case null -> {} // Not started: an earlier row of the run is pending.
        case OutboxRowResult.Done() -> done.add(row);
        case OutboxRowResult.Postponed(List<OutboxEffect> remaining, OutboxRowResult.Awaits awaits)
            when remaining.equals(row.effects()) ->
            waiting.computeIfAbsent(awaits, a -> new ArrayList<>()).add(row.id());
        case OutboxRowResult.Postponed(
                List<OutboxEffect> remaining,
                OutboxRowResult.Awaits awaits) ->
            putOff(tx, List.of(row.id()), OutboxWriter.write(remaining), awaits);
      }
    }
    waiting.forEach((awaits, ids) -> putOff(tx, ids, null, awaits));
    if (!done.isEmpty()) {
      on(
          tx.preparedQuery("DELETE FROM orchestrator.outbox WHERE id = ANY($1)")
              .execute(Tuple.of(done.stream().map(ClaimedOutboxRow::id).toArray(Long[]::new))));
    }
    return done;
  }

  /**
   * Postpones rows; called often and with many rows.
   *
   * @param remaining null when no effect was performed
   */
  private static void putOff(
      SqlConnection tx,
      List<Long> rows,
      @Nullable String remaining,
      OutboxRowResult.Awaits awaits) {
    // A slot that is freed while this transaction is open does not wake uncommitted rows, so the
    // wait has a maximum. A later row of the run, such as a cancellation, must not wait for all of
    // it.
    on(
        tx.preparedQuery(
                """
                UPDATE orchestrator.outbox o SET effects = COALESCE($5, effects), attempts = attempts + 1,
                  awaits_slot = $2, not_before = now() + interval '1 millisecond' * (0.5 + random() / 2) * CASE WHEN EXISTS (
                    SELECT 1 FROM orchestrator.outbox e WHERE e.run = o.run AND e.id > o.id)
                    THEN $3::bigint ELSE LEAST($4::bigint, $3::bigint << LEAST(attempts, 10)) END
                WHERE id = ANY($1)""")
            .execute(
                Tuple.from(
                    Arrays.asList(
                        rows.toArray(Long[]::new),
                        awaits.isForRoom(),
                        FIRST_BACKOFF_MILLIS,
                        awaits.longestMillis(),
                        remaining))));
  }

  private static <T> T on(Uni<T> uni) {
    return uni.await().atMost(SQL);
  }
}
