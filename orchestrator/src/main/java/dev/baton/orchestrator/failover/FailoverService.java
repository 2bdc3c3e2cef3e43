/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import dev.baton.orchestrator.projection.ProjectionBarrier;
import dev.baton.orchestrator.reconcile.RunObservation.RunnerLost;
import dev.baton.orchestrator.reconcile.RunObservation.TraceKnowledge;
import dev.baton.orchestrator.reconcile.RunOutcome;
import dev.baton.orchestrator.reconcile.RunReconciler;
import dev.baton.protocol.signal.RunnerSignal;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;

/**
 * Enqueues runs whose runner was reported lost, with the signal. A repeated signal, or two signals
 * about the same loss, cause one failover.
 */
@ApplicationScoped
class FailoverService {
  private final RunReconciler reconciler;
  private final ProjectionBarrier catchUp;

  FailoverService(RunReconciler reconciler, ProjectionBarrier catchUp) {
    this.reconciler = reconciler;
    this.catchUp = catchUp;
  }

  /**
   * Handles a signal; waits for a lock for at most 100 ms, and never for the log.
   *
   * @param age time since the signal was published
   * @return false when nothing was decided: the decision needs the end of the run's trace, or
   *     follows a deferred signal of the run
   */
  Uni<Boolean> tryHandle(RunnerSignal signal, Duration age) {
    return handle(signal, age, TraceKnowledge.FIRST_LOOK);
  }

  /**
   * Handles a signal, after the projection has read the run's trace where the decision needs that.
   *
   * @param patience for the projection
   * @return fails when the projection does not catch up in time, or the run's row stays locked for
   *     20 ms
   */
  Uni<Void> handleCaughtUp(RunnerSignal signal, Duration age, Duration patience) {
    return handle(signal, age, TraceKnowledge.MAYBE_BEHIND)
        .chain(
            handled ->
                handled
                    ? Uni.createFrom().voidItem()
                    : caughtUp(signal.run(), patience)
                        .chain(() -> handle(signal, age, TraceKnowledge.CAUGHT_UP))
                        .replaceWithVoid());
  }

  private Uni<Boolean> handle(RunnerSignal signal, Duration age, TraceKnowledge knowledge) {
    return reconciler
        .reconcile(signal.run(), new RunnerLost(signal, age, knowledge))
        .map(plan -> plan.isEmpty() || !(plan.get().outcome() instanceof RunOutcome.LookAgain));
  }

  /** Fails when the projection does not catch up in time. */
  private Uni<Void> caughtUp(String run, Duration patience) {
    return Uni.createFrom()
        .item(() -> catchUp.await(List.of(run), patience))
        .runSubscriptionOn(task -> Thread.ofVirtual().name("catch-up").start(task))
        .invoke(
            reached -> {
              if (!reached) {
                throw new IllegalStateException("the projection is behind the run's trace");
              }
            })
        .replaceWithVoid();
  }
}
