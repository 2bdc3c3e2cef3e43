/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import dev.baton.protocol.grpc.DeleteRunResponse;
import dev.baton.protocol.grpc.RunCounts;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * The proof that a run is deleted.
 *
 * @param left what was counted after the deletion
 * @param packsWaiting unreferenced packs, which the garbage collection deletes after its grace
 *     period
 */
@Schema(name = "RunDeletion")
public record RunDeletionReport(
    String run, Counts deleted, Counts left, int packsWaiting, long packsWaitingBytes) {

  /**
   * @param rows of the orchestrator's database: the run, its approvals, runners, outbox, stored
   *     responses of repeated requests
   * @param checkpointEvents events of its trace that carry a checkpoint
   * @param bytes of objects
   * @param origins 1: the initial state of a fork
   * @param archived 1: its ref in the git archive
   */
  @Schema(name = "DeletedAmounts")
  public record Counts(
      long rows,
      long events,
      long checkpointEvents,
      long checkpoints,
      long manifests,
      long blobs,
      long packs,
      long bytes,
      long origins,
      long archived) {
    static Counts of(RunCounts store, long rows) {
      return new Counts(
          rows,
          store.getEvents(),
          store.getCuts(),
          store.getCheckpoints(),
          store.getManifests(),
          store.getBlobs(),
          store.getPacks(),
          store.getBytes(),
          store.getOrigins(),
          store.getArchived());
    }
  }

  static RunDeletionReport of(
      String run, DeleteRunResponse store, OrchestratorRunRepository.Erased rows) {
    return new RunDeletionReport(
        run,
        Counts.of(store.getDeleted(), rows.deleted()),
        Counts.of(store.getLeft(), rows.left()),
        store.getPacksWaiting(),
        store.getPacksWaitingBytes());
  }
}
