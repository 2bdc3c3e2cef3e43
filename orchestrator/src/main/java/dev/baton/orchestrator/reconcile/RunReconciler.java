/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import dev.baton.orchestrator.outbox.OutboxRelay;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Reconciles runs: every watcher and every request enqueues a run with what it observed; a
 * transaction locks the rows of all enqueued runs that are free, plans for each, and writes the
 * rows and their effects with one statement. An observation that finds no transaction in progress
 * is handled at once; those that arrive during a transaction share the next one.
 *
 * <p>Runs do not wait for one another: a run whose row is locked, and each run of a transaction
 * that fails, is handled in a transaction of its own. Of one run, observations are handled in the
 * order of their arrival. Thread-safe; never blocks.
 */
@ApplicationScoped
public class RunReconciler {
  private static final Logger LOG = Logger.getLogger(RunReconciler.class);
  private static final int MOST_RUNS = 256;
  private static final int TRANSACTIONS = 4;
  private static final int ALONE_AT_ONCE = 8;
  private static final Duration SQL = Duration.ofSeconds(10);

  /** Of a run that was observed; many repeated attempts must not occupy the connections. */
  private static final int FIRST_LOCK_MILLIS = 100;

  private static final int LATER_LOCK_MILLIS = 20;

  /** Of a request, whose caller waits for its result. */
  private static final int REQUEST_LOCK_MILLIS = 5_000;

  private record EnqueuedRun(
      String run, RunObservation observed, CompletableFuture<Optional<RunPlan>> result) {}

  private final Pool pool;
  private final RunTransaction runs;
  private final OutboxRelay relay;

  // Guarded by this.
  private final Deque<EnqueuedRun> waiting = new ArrayDeque<>();
  private final Deque<EnqueuedRun> alone = new ArrayDeque<>();
  private final Set<String> busy = new HashSet<>();
  private int transactions;
  private int observersAlone;

  RunReconciler(Pool pool, RunTransaction runs, OutboxRelay relay) {
    this.pool = pool;
    this.runs = runs;
    this.relay = relay;
  }

  /**
   * Enqueues a run. The result arrives on the caller's Vert.x context, after the commit.
   *
   * @return empty when the run is unknown; fails when Postgres does, and when the run's row stays
   *     locked for 100 ms (5 s for a request)
   */
  public Uni<Optional<RunPlan>> reconcile(String run, RunObservation observed) {
    return Uni.createFrom()
        .deferred(
            () -> {
              Executor caller = caller();
              EnqueuedRun enqueued = new EnqueuedRun(run, observed, new CompletableFuture<>());
              synchronized (this) {
                waiting.add(enqueued);
              }
              next();
              return Uni.createFrom().completionStage(enqueued.result()).emitOn(caller);
            });
  }

  /**
   * Enqueues runs for which time has passed. Completes when all are handled; those that fail are
   * logged, and observed again by their watcher.
   */
  public Uni<Void> timePassed(Collection<String> overdue) {
    List<Uni<Optional<RunPlan>>> handled = new ArrayList<>();
    for (String run : overdue) {
      handled.add(
          reconcile(run, new RunObservation.TimePassed())
              .onFailure()
              .invoke(failure -> LOG.warnf("run %s: not reconciled, retrying: %s", run, failure))
              .onFailure()
              .recoverWithItem(Optional.empty()));
    }
    return handled.isEmpty()
        ? Uni.createFrom().voidItem()
        : Uni.join().all(handled).andCollectFailures().replaceWithVoid();
  }

  private static Executor caller() {
    Context context = Vertx.currentContext();
    return context == null
        ? Runnable::run
        : command -> context.runOnContext(ignored -> command.run());
  }

  private void next() {
    for (List<EnqueuedRun> batch = take(); !batch.isEmpty(); batch = take()) {
      together(batch);
    }
    for (EnqueuedRun run = takeAlone(); run != null; run = takeAlone()) {
      alone(run);
    }
  }

  /** Takes at most one observation of each run, the oldest; none of a run that is being handled. */
  private synchronized List<EnqueuedRun> take() {
    List<EnqueuedRun> batch = new ArrayList<>();
    if (transactions == TRANSACTIONS) {
      return batch;
    }
    Set<String> passed = new HashSet<>();
    Iterator<EnqueuedRun> candidates = waiting.iterator();
    while (candidates.hasNext() && batch.size() < MOST_RUNS) {
      EnqueuedRun candidate = candidates.next();
      if (!passed.add(candidate.run()) || busy.contains(candidate.run())) {
        continue;
      }
      candidates.remove();
      batch.add(candidate);
    }
    if (!batch.isEmpty()) {
      transactions++;
      batch.forEach(run -> busy.add(run.run()));
    }
    return batch;
  }

  private synchronized @Nullable EnqueuedRun takeAlone() {
    Iterator<EnqueuedRun> candidates = alone.iterator();
    while (candidates.hasNext()) {
      EnqueuedRun candidate = candidates.next();
      boolean isRequest = lockMillis(candidate.observed()) == REQUEST_LOCK_MILLIS;
      if (isRequest || observersAlone < ALONE_AT_ONCE) {
        candidates.remove();
        observersAlone += isRequest ? 0 : 1;
        return candidate;
      }
    }
    return null;
  }

  private void together(List<EnqueuedRun> batch) {
    Map<String, RunObservation> observed = new LinkedHashMap<>();
    batch.forEach(run -> observed.put(run.run(), run.observed()));
    pool.withTransaction(tx -> runs.performFree(tx, observed))
        .ifNoItem()
        .after(SQL)
        .fail()
        .subscribe()
        .with(
            plans -> ended(batch, plans),
            failure -> {
              LOG.debugf("%d runs: not reconciled together: %s", batch.size(), failure);
              if (batch.size() == 1) {
                endTransaction();
                fail(batch.getFirst(), failure);
                next();
              } else {
                ended(batch, Map.of());
              }
            });
  }

  private void ended(List<EnqueuedRun> batch, Map<String, RunPlan> plans) {
    report(plans.values());
    List<EnqueuedRun> done = new ArrayList<>();
    synchronized (this) {
      for (EnqueuedRun run : batch) {
        if (plans.containsKey(run.run())) {
          busy.remove(run.run());
          done.add(run);
        } else {
          alone.add(run);
        }
      }
    }
    endTransaction();
    done.forEach(run -> run.result().complete(Optional.ofNullable(plans.get(run.run()))));
    next();
  }

  private synchronized void endTransaction() {
    transactions--;
  }

  private void alone(EnqueuedRun enqueued) {
    int millis = lockMillis(enqueued.observed());
    pool.withTransaction(
            tx ->
                tx.query("SET LOCAL lock_timeout = " + millis)
                    .execute()
                    .chain(() -> runs.perform(tx, enqueued.run(), enqueued.observed())))
        .ifNoItem()
        .after(SQL)
        .fail()
        .onTermination()
        .invoke(() -> endAlone(millis))
        .subscribe()
        .with(
            plan -> {
              plan.ifPresent(performed -> report(List.of(performed)));
              release(enqueued);
              enqueued.result().complete(plan);
              next();
            },
            failure -> {
              fail(enqueued, failure);
              next();
            });
  }

  private synchronized void endAlone(int lockMillis) {
    observersAlone -= lockMillis == REQUEST_LOCK_MILLIS ? 0 : 1;
  }

  private synchronized void release(EnqueuedRun enqueued) {
    busy.remove(enqueued.run());
  }

  private void fail(EnqueuedRun enqueued, Throwable failure) {
    release(enqueued);
    enqueued.result().completeExceptionally(failure);
  }

  private static int lockMillis(RunObservation observed) {
    return switch (observed) {
      case RunObservation.RunnerLost lost ->
          lost.knowledge() == RunObservation.TraceKnowledge.FIRST_LOOK
              ? FIRST_LOCK_MILLIS
              : LATER_LOCK_MILLIS;
      case RunObservation.TimePassed _,
          RunObservation.PlaceFreed _,
          RunObservation.RunnerAttached _,
          RunObservation.RunnerReleased _ ->
          FIRST_LOCK_MILLIS;
      case RunObservation.ApprovalAnswered _,
          RunObservation.CancelRequested _,
          RunObservation.PauseRequested _,
          RunObservation.ResumeRequested _,
          RunObservation.HurryRequested _,
          RunObservation.RunnerReconnected _ ->
          REQUEST_LOCK_MILLIS;
    };
  }

  private void report(Collection<RunPlan> performed) {
    boolean owes = false;
    for (RunPlan plan : performed) {
      owes |= plan.atOnce() || !plan.effects().isEmpty();
      report(plan);
    }
    if (owes) {
      relay.wake();
    }
  }

  private static void report(RunPlan plan) {
    String run = plan.before().id();
    switch (plan.outcome()) {
      case RunOutcome.Unchanged(String why) -> LOG.debugf("run %s: unchanged, %s", run, why);
      case RunOutcome.Lost(String reason, String detail) ->
          LOG.infof("run %s is lost: %s, %s", run, reason, detail);
      case RunOutcome.EpochPaused(int epoch, String reason) ->
          LOG.infof("run %s is paused in epoch %d (%s)", run, epoch, reason);
      case RunOutcome.EpochBegun(int epoch, String reason, Duration delay) ->
          LOG.infof(
              "run %s moves to epoch %d (%s)%s",
              run,
              epoch,
              reason,
              delay.isZero()
                  ? ""
                  : " after at most "
                      + delay
                      + ": "
                      + plan.next().failovers().fruitless()
                      + " failovers without progress");
      case RunOutcome.Changed(String what) -> LOG.debugf("run %s: %s", run, what);
      case RunOutcome.LookAgain _,
          RunOutcome.Rejected _,
          RunOutcome.Replied _,
          RunOutcome.Reported _ -> {}
    }
  }
}
