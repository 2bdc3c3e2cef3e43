/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import dev.baton.orchestrator.lease.LeaseSigner;
import dev.baton.orchestrator.store.StoreChannel;
import dev.baton.protocol.grpc.Caller;
import dev.baton.protocol.grpc.DeleteRunRequest;
import dev.baton.protocol.grpc.DeleteRunResponse;
import dev.baton.protocol.grpc.GetCheckpointRequest;
import dev.baton.protocol.grpc.GetCheckpointResponse;
import dev.baton.protocol.grpc.ListCheckpointsRequest;
import dev.baton.protocol.grpc.ListCheckpointsResponse;
import dev.baton.protocol.grpc.OpenCheckpointRequest;
import dev.baton.protocol.grpc.OpenCheckpointResponse;
import dev.baton.protocol.grpc.PinCheckpointRequest;
import dev.baton.protocol.grpc.PrepareForkRequest;
import dev.baton.protocol.grpc.PrepareForkResponse;
import dev.baton.protocol.grpc.ProjectFilter;
import dev.baton.protocol.grpc.StoredCheckpoint;
import dev.baton.protocol.grpc.VerifyCheckpointRequest;
import dev.baton.protocol.grpc.VerifyCheckpointResponse;
import dev.baton.protocol.identity.ProjectScope;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;

/** Calls the checkpoint-store for checkpoints; failures are problems. Thread-safe. */
@ApplicationScoped
class CheckpointClient {
  /** Timeout of lookups. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Timeout of calls that read or delete many objects. */
  private static final Duration WORK = Duration.ofMinutes(10);

  private final StoreChannel store;
  private final LeaseSigner leases;

  CheckpointClient(StoreChannel store, LeaseSigner leases) {
    this.store = store;
    this.leases = leases;
  }

  Uni<ListCheckpointsResponse> list(ListCheckpointsRequest request) {
    return store.ask(PATIENCE, call -> call.checkpoints().listCheckpoints(request));
  }

  Uni<GetCheckpointResponse> get(String id) {
    GetCheckpointRequest request = GetCheckpointRequest.newBuilder().setId(id).build();
    return store.ask(PATIENCE, call -> call.checkpoints().getCheckpoint(request));
  }

  /** Finds a checkpoint in some projects, without its manifest. */
  Uni<StoredCheckpoint> find(String id, ProjectScope visible) {
    GetCheckpointRequest.Builder request =
        GetCheckpointRequest.newBuilder().setId(id).setWithoutManifest(true);
    if (!visible.all()) {
      request.setVisible(ProjectFilter.newBuilder().addAllProjects(visible.names()));
    }
    return store
        .ask(PATIENCE, call -> call.checkpoints().getCheckpoint(request.build()))
        .map(GetCheckpointResponse::getCheckpoint);
  }

  /** Opens a checkpoint on behalf of the run that created it. */
  Uni<OpenCheckpointResponse> open(StoredCheckpoint checkpoint, int epoch) {
    String run = checkpoint.getRun();
    OpenCheckpointRequest request =
        OpenCheckpointRequest.newBuilder()
            .setCaller(
                Caller.newBuilder()
                    .setRun(run)
                    .setEpoch(epoch)
                    .setLease(leases.mint(run, epoch, checkpoint.getProject()))
                    .setProject(checkpoint.getProject()))
            .setCheckpoint(checkpoint.getId())
            .build();
    return store.ask(PATIENCE, call -> call.checkpoints().openCheckpoint(request));
  }

  Uni<StoredCheckpoint> pin(PinCheckpointRequest request) {
    return store.ask(PATIENCE, call -> call.checkpoints().pinCheckpoint(request));
  }

  /** Prepares the initial state of a fork that is not created yet. */
  Uni<PrepareForkResponse> prepareFork(PrepareForkRequest request) {
    return store.ask(PATIENCE, call -> call.checkpoints().prepareFork(request));
  }

  Uni<VerifyCheckpointResponse> verify(String id) {
    VerifyCheckpointRequest request = VerifyCheckpointRequest.newBuilder().setId(id).build();
    return store.ask(WORK, call -> call.checkpoints().verifyCheckpoint(request));
  }

  /** Deletes everything that the store has of a run. */
  Uni<DeleteRunResponse> deleteRun(DeleteRunRequest request) {
    return store.ask(WORK, call -> call.maintenance().deleteRun(request));
  }
}
