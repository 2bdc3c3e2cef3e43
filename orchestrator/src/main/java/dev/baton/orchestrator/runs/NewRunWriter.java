/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.baton.orchestrator.idempotency.IdempotencyKey;
import dev.baton.orchestrator.idempotency.IdempotencyService;
import dev.baton.orchestrator.idempotency.IdempotentResponse;
import dev.baton.orchestrator.outbox.OutboxRelay;
import dev.baton.orchestrator.outbox.OutboxWriter;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.projects.ProjectLimitGuard;
import dev.baton.orchestrator.queue.RunAdmissionController;
import dev.baton.orchestrator.replicas.ReplicaSession;
import dev.baton.protocol.json.Json;
import dev.baton.server.PostgresErrorClassifier;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes new runs with their outbox effects. Requests that arrive during a transaction share the
 * next one, so 200 concurrent callers cost only a few commits. The runs of a request are written
 * all or none. Thread-safe.
 */
@ApplicationScoped
class NewRunWriter {
  private static final int MAX_WAITING = 10_000;

  /** Weight of the runs that wait, and of those of one transaction. */
  private static final long MAX_WAITING_BYTES = 64 << 20;

  private static final long MAX_BYTES_PER_COMMIT = 16 << 20;
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final int MAX_RUNS_PER_COMMIT = 2_000;

  /**
   * A request: its runs, its key, and the response to store under the key.
   *
   * @param owner for which the runs are started; null without one
   */
  private record Pending(
      List<NewRun> runs,
      @Nullable IdempotencyKey key,
      IdempotentResponse answer,
      @Nullable ResourceOwner owner,
      long weight,
      CompletableFuture<IdempotentResponse> done) {}

  private final Pool pool;
  private final IdempotencyService keys;
  private final OutboxRelay relay;
  private final RunAdmissionController admission;
  private final ReplicaSession replicas;
  private final ProjectLimitGuard limits;
  private final ArrayDeque<Pending> waiting = new ArrayDeque<>();
  private long waitingBytes;
  private boolean busy;
  private volatile boolean queued;

  NewRunWriter(
      Pool pool,
      IdempotencyService keys,
      OutboxRelay relay,
      RunAdmissionController admission,
      ReplicaSession replicas,
      ProjectLimitGuard limits) {
    this.limits = limits;
    this.replicas = replicas;
    this.admission = admission;
    this.pool = pool;
    this.keys = keys;
    this.relay = relay;
  }

  /**
   * Completes after the commit with the response, or with the one stored under the key.
   *
   * @return fails with a problem when the key was used with another body, an id is taken, or too
   *     many requests wait
   */
  Uni<IdempotentResponse> create(
      List<NewRun> runs, @Nullable IdempotencyKey key, IdempotentResponse answer) {
    return create(runs, key, answer, null);
  }

  /**
   * Like {@link #create(List, IdempotencyKey, IdempotentResponse)}.
   *
   * @param owner stored with each of the runs, in the same transaction; null for none
   */
  Uni<IdempotentResponse> create(
      List<NewRun> runs,
      @Nullable IdempotencyKey key,
      IdempotentResponse answer,
      @Nullable ResourceOwner owner) {
    return Uni.createFrom()
        .completionStage(
            () -> {
              long weight = runs.stream().mapToLong(NewRun::weight).sum();
              Pending pending =
                  new Pending(runs, key, answer, owner, weight, new CompletableFuture<>());
              enqueue(pending);
              return pending.done();
            });
  }

  private void enqueue(Pending pending) {
    synchronized (waiting) {
      // A request alone may be heavier than the bound.
      if (waiting.size() >= MAX_WAITING
          || (!waiting.isEmpty() && waitingBytes + pending.weight() > MAX_WAITING_BYTES)) {
        throw new ProblemException(
            ProblemKind.BUSY,
            "%d requests with about %,d bytes wait for Postgres; try again in a moment"
                .formatted(waiting.size(), waitingBytes));
      }
      waiting.add(pending);
      waitingBytes += pending.weight();
      if (busy) {
        return;
      }
      busy = true;
    }
    next();
  }

  private void next() {
    List<Pending> batch = take();
    if (batch.isEmpty()) {
      return;
    }
    write(batch)
        .subscribe()
        .with(
            written -> {
              wake();
              next();
            },
            failure -> {
              if (batch.size() > 1 && PostgresErrorClassifier.isFinal(failure)) {
                apart(batch);
              } else {
                batch.forEach(pending -> pending.done().completeExceptionally(failure));
                next();
              }
            });
  }

  private void wake() {
    relay.wake();
    if (queued) {
      queued = false;
      admission.wake();
    }
  }

  /** Writes the requests one by one: one of them causes the failure, the others must not fail. */
  private void apart(List<Pending> batch) {
    Uni<Void> all = Uni.createFrom().voidItem();
    for (Pending pending : batch) {
      if (!pending.done().isDone()) {
        all =
            all.chain(() -> write(List.of(pending)))
                .onFailure()
                .recoverWithItem(
                    failure -> {
                      pending.done().completeExceptionally(failure);
                      return null;
                    });
      }
    }
    all.subscribe()
        .with(
            written -> {
              wake();
              next();
            },
            failure -> next());
  }

  private List<Pending> take() {
    synchronized (waiting) {
      List<Pending> batch = new ArrayList<>();
      int runs = 0;
      long bytes = 0;
      while (!waiting.isEmpty() && runs < MAX_RUNS_PER_COMMIT && bytes < MAX_BYTES_PER_COMMIT) {
        Pending pending = waiting.remove();
        batch.add(pending);
        runs += pending.runs().size();
        bytes += pending.weight();
      }
      waitingBytes -= bytes;
      busy = !batch.isEmpty();
      return batch;
    }
  }

  private Uni<Void> write(List<Pending> batch) {
    Map<String, Pending> byKey = new HashMap<>();
    List<Pending> repeats = new ArrayList<>();
    List<Pending> candidates = new ArrayList<>();
    for (Pending pending : batch) {
      IdempotencyKey key = pending.key();
      if (key != null && byKey.putIfAbsent(key.key(), pending) != null) {
        repeats.add(pending);
      } else {
        candidates.add(pending);
      }
    }
    List<Pending> written = new ArrayList<>();
    return pool.withTransaction(tx -> insert(tx, candidates, repeats, written))
        .ifNoItem()
        .after(SQL)
        .fail()
        .invoke(() -> written.forEach(pending -> pending.done().complete(pending.answer())))
        // A repeated request in the same batch finds the stored response only now.
        .invoke(() -> repeats.forEach(this::replay));
  }

  private Uni<Void> insert(
      SqlConnection tx, List<Pending> candidates, List<Pending> repeats, List<Pending> written) {
    Map<IdempotencyKey, IdempotentResponse> claims = new LinkedHashMap<>();
    for (Pending pending : candidates) {
      if (pending.key() != null) {
        claims.put(pending.key(), pending.answer());
      }
    }
    return keys.claim(tx, claims)
        .chain(
            claimed -> {
              List<Pending> fresh = new ArrayList<>();
              for (Pending pending : candidates) {
                boolean mine = pending.key() == null || claimed.contains(pending.key().key());
                (mine ? fresh : repeats).add(pending);
              }
              return permitted(tx, fresh).chain(rest -> insertRuns(tx, rest, written));
            });
  }

  /** Refuses the requests that the limits of their projects do not allow; returns the others. */
  private Uni<List<Pending>> permitted(SqlConnection tx, List<Pending> fresh) {
    if (fresh.isEmpty()) {
      return Uni.createFrom().item(fresh);
    }
    List<ProjectLimitGuard.Demand> demands = new ArrayList<>();
    for (int i = 0; i < fresh.size(); i++) {
      int request = i;
      fresh.get(i).runs().stream()
          .collect(Collectors.groupingBy(NewRun::project, TreeMap::new, Collectors.toList()))
          .forEach(
              (project, runs) ->
                  demands.add(
                      new ProjectLimitGuard.Demand(
                          request,
                          project,
                          (int) runs.stream().filter(run -> !run.external()).count(),
                          runs.size())));
    }
    return limits.decide(tx, demands).chain(refused -> withoutRefused(tx, fresh, refused));
  }

  private static Uni<List<Pending>> withoutRefused(
      SqlConnection tx, List<Pending> fresh, Map<Integer, ProblemException> refused) {
    List<Pending> rest = new ArrayList<>();
    List<String> undoKeys = new ArrayList<>();
    for (int i = 0; i < fresh.size(); i++) {
      Pending pending = fresh.get(i);
      ProblemException problem = refused.get(i);
      if (problem == null) {
        rest.add(pending);
      } else {
        Optional.ofNullable(pending.key()).map(IdempotencyKey::key).ifPresent(undoKeys::add);
        pending.done().completeExceptionally(problem);
      }
    }
    return undoKeys.isEmpty()
        ? Uni.createFrom().item(rest)
        : tx.preparedQuery("DELETE FROM orchestrator.idempotency WHERE key = ANY($1)")
            .execute(Tuple.of(undoKeys.toArray(String[]::new)))
            .replaceWith(rest);
  }

  private Uni<Void> insertRuns(SqlConnection tx, List<Pending> fresh, List<Pending> written) {
    if (fresh.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    ArrayNode rows = Json.mapper().createArrayNode();
    Set<String> ids = new HashSet<>();
    List<Pending> accepted = new ArrayList<>();
    for (Pending pending : fresh) {
      if (pending.runs().stream().allMatch(run -> ids.add(run.id()))) {
        pending.runs().forEach(run -> rows.add(run.row()));
        accepted.add(pending);
      } else {
        pending.done().completeExceptionally(taken(pending));
      }
    }
    return tx.preparedQuery(
            """
            INSERT INTO orchestrator.run (id, project, kind, workflow, definition_hash, isolation, labels, input, restart,
              deadline, heartbeat_interval_ms, heartbeat_timeout_ms, created_at, epoch, control_seq, status,
              forked_from, forked_position, forked_step, forked_checkpoint, priority, home_partition, signed, queued_at)
            SELECT id, project, kind, workflow, definition_hash, isolation, labels, input, restart,
              deadline, heartbeat_interval_ms, heartbeat_timeout_ms, created_at, epoch,
              CASE WHEN limited THEN 1 ELSE control_seq END, status,
              forked_from, forked_position, forked_step, forked_checkpoint, priority, home_partition, $2::boolean, CASE WHEN limited THEN now() END
            FROM (SELECT j.*, j.kind = 'managed' AND (EXISTS (
                SELECT 1 FROM orchestrator.concurrency_limit c WHERE c.workflow = j.workflow) OR EXISTS (
                SELECT 1 FROM orchestrator.project l WHERE l.name = j.project AND l.runs IS NOT NULL)) AS limited
              FROM json_to_recordset($1::text::json) AS j (id text, project text, kind text, workflow text,
                definition_hash text, isolation text, labels jsonb, input text, restart text, deadline timestamptz,
                heartbeat_interval_ms bigint, heartbeat_timeout_ms bigint, created_at timestamptz, epoch int,
                control_seq bigint, status text, forked_from text, forked_position bigint, forked_step text,
                forked_checkpoint text, priority int, home_partition int)) v
            ON CONFLICT (id) DO NOTHING RETURNING id, queued_at IS NOT NULL AS queued""")
        .execute(Tuple.of(rows.toString(), replicas.doAllSign()))
        .chain(
            inserted -> {
              Map<String, Boolean> present = new HashMap<>();
              inserted.forEach(row -> present.put(row.getString("id"), row.getBoolean("queued")));
              queued |= present.containsValue(true);
              return settle(tx, accepted, present, written);
            });
  }

  /**
   * Only external runs choose their id, so a taken id is rare: the request is undone and rejected.
   *
   * @param present the runs that were written, and whether they are queued
   */
  private Uni<Void> settle(
      SqlConnection tx,
      List<Pending> accepted,
      Map<String, Boolean> present,
      List<Pending> written) {
    List<OutboxWriter.Row> effects = new ArrayList<>();
    ArrayNode owned = Json.mapper().createArrayNode();
    List<String> undoRuns = new ArrayList<>();
    List<String> undoKeys = new ArrayList<>();
    for (Pending pending : accepted) {
      if (pending.runs().stream().allMatch(run -> present.containsKey(run.id()))) {
        for (NewRun run : pending.runs()) {
          effects.add(run.effects(Boolean.TRUE.equals(present.get(run.id()))));
          if (pending.owner() != null) {
            owned.add(pending.owner().row(run.id()));
          }
        }
        written.add(pending);
      } else {
        pending.runs().stream().map(NewRun::id).filter(present::containsKey).forEach(undoRuns::add);
        Optional.ofNullable(pending.key()).map(IdempotencyKey::key).ifPresent(undoKeys::add);
        pending.done().completeExceptionally(taken(pending));
      }
    }
    Uni<Void> owed =
        effects.isEmpty() ? Uni.createFrom().voidItem() : OutboxWriter.appendAll(tx, effects);
    if (!owned.isEmpty()) {
      owed = owed.chain(() -> insertOwners(tx, owned));
    }
    if (undoRuns.isEmpty() && undoKeys.isEmpty()) {
      return owed;
    }
    return owed.chain(
            () ->
                tx.preparedQuery("DELETE FROM orchestrator.run WHERE id = ANY($1)")
                    .execute(Tuple.of(undoRuns.toArray(String[]::new))))
        .chain(
            () ->
                tx.preparedQuery("DELETE FROM orchestrator.idempotency WHERE key = ANY($1)")
                    .execute(Tuple.of(undoKeys.toArray(String[]::new))))
        .replaceWithVoid();
  }

  private static Uni<Void> insertOwners(SqlConnection tx, ArrayNode owned) {
    return tx.preparedQuery(
            """
            INSERT INTO orchestrator.run_resource (uid, run, namespace, name, on_delete)
            SELECT uid, run, namespace, name, on_delete FROM json_to_recordset($1::text::json)
              AS v (uid text, run text, namespace text, name text, on_delete text)
            ORDER BY uid""")
        .execute(Tuple.of(owned.toString()))
        .replaceWithVoid();
  }

  private void replay(Pending pending) {
    keys.find(pending.key())
        .subscribe()
        .with(
            kept -> {
              if (kept.isPresent()) {
                pending.done().complete(kept.get());
              } else {
                pending
                    .done()
                    .completeExceptionally(
                        new ProblemException(
                            ProblemKind.BUSY,
                            "another request with the same Idempotency-Key failed just now; repeat this one"));
              }
            },
            failure -> pending.done().completeExceptionally(failure));
  }

  private static ProblemException taken(Pending pending) {
    return new ProblemException(
        ProblemKind.CONFLICT,
        "a run with this id exists already: "
            + String.join(", ", pending.runs().stream().map(NewRun::id).limit(5).toList()));
  }
}
