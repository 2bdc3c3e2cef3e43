/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.grpc.DeleteRunRequest;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;

/** Deletes ended runs from the store and from this service's database. Thread-safe. */
@ApplicationScoped
public class RunDeletionCoordinator {
  private final OrchestratorRunRepository rows;
  private final CheckpointClient store;

  RunDeletionCoordinator(OrchestratorRunRepository rows, CheckpointClient store) {
    this.rows = rows;
    this.store = store;
  }

  /**
   * Fails with a problem while the run is active or another run needs it. Idempotent.
   *
   * @param now whether unreferenced files are deleted without the grace period
   * @param force whether a pinned checkpoint is deleted too
   */
  public Uni<RunDeletionReport> delete(String run, boolean now, boolean force) {
    // The store first: while the run is still listed, a failed deletion can be repeated. What the
    // store has deleted no runner can restore, so the run cannot be resumed from here on, unless
    // the store refuses the deletion as a whole.
    return rows.markDeleting(run)
        .chain(
            () ->
                store
                    .deleteRun(
                        DeleteRunRequest.newBuilder()
                            .setRun(run)
                            .setNow(now)
                            .setForce(force)
                            .build())
                    .onFailure(RunDeletionCoordinator::isRefusal)
                    .call(() -> rows.unmarkDeleting(run)))
        .chain(proof -> rows.erase(run).map(gone -> RunDeletionReport.of(run, proof, gone)));
  }

  private static boolean isRefusal(Throwable failure) {
    return failure instanceof ProblemException problem && problem.kind() == ProblemKind.CONFLICT;
  }
}
