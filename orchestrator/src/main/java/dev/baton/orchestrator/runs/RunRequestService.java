/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.reconcile.RunObservation;
import dev.baton.orchestrator.reconcile.RunOutcome;
import dev.baton.orchestrator.reconcile.RunPlan;
import dev.baton.orchestrator.reconcile.RunReconciler;
import dev.baton.orchestrator.reconcile.RunTransaction;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;

/** Enqueues runs with what was requested, and turns a rejection into a problem. Thread-safe. */
@ApplicationScoped
class RunRequestService {
  private final Pool pool;
  private final RunTransaction runs;
  private final RunReconciler reconciler;

  RunRequestService(Pool pool, RunTransaction runs, RunReconciler reconciler) {
    this.pool = pool;
    this.runs = runs;
    this.reconciler = reconciler;
  }

  /** Performs a request; fails with a problem when the run is unknown or rejects it. */
  Uni<RunPlan> perform(String run, RunObservation requested) {
    return reconciler.reconcile(run, requested).map(plan -> accepted(run, plan));
  }

  /** Plans a request without performing it. Fails like {@link #perform}. */
  Uni<RunPlan> check(String run, RunObservation requested) {
    return runs.plan(pool, run, requested).map(plan -> accepted(run, plan));
  }

  private static RunPlan accepted(String run, Optional<RunPlan> plan) {
    RunPlan planned = plan.orElseThrow(() -> RunQueryService.unknown(run));
    if (planned.outcome() instanceof RunOutcome.Rejected(String message)) {
      throw new ProblemException(ProblemKind.CONFLICT, message);
    }
    return planned;
  }
}
