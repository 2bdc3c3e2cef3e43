/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.cuts;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.launch.LeaseMint;
import dev.baton.orchestrator.store.StoreChannel;
import dev.baton.protocol.grpc.DeleteRunRequest;
import dev.baton.protocol.grpc.DeleteRunResponse;
import dev.baton.protocol.grpc.GetCheckpointRequest;
import dev.baton.protocol.grpc.GetCheckpointResponse;
import dev.baton.protocol.grpc.ListCheckpointsRequest;
import dev.baton.protocol.grpc.ListCheckpointsResponse;
import dev.baton.protocol.grpc.OpenCheckpointRequest;
import dev.baton.protocol.grpc.OpenCheckpointResponse;
import dev.baton.protocol.grpc.PinCheckpointRequest;
import dev.baton.protocol.grpc.StoredCheckpoint;
import dev.baton.protocol.grpc.VerifyCheckpointRequest;
import dev.baton.protocol.grpc.VerifyCheckpointResponse;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;

/** Asks the checkpoint-store about checkpoints; failures are problems. Thread-safe. */
@ApplicationScoped
public class CheckpointClient {
  /** For what is looked up. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** For what reads or deletes many objects. */
  private static final Duration WORK = Duration.ofMinutes(10);

  private final StoreChannel store;
  private final LeaseMint leases;
  private final OrchestratorConfig config;

  CheckpointClient(StoreChannel store, LeaseMint leases, OrchestratorConfig config) {
    this.store = store;
    this.leases = leases;
    this.config = config;
  }

  Uni<ListCheckpointsResponse> list(ListCheckpointsRequest request) {
    return told(store.within(PATIENCE).listCheckpoints(request));
  }

  Uni<GetCheckpointResponse> get(String id) {
    return told(
        store.within(PATIENCE).getCheckpoint(GetCheckpointRequest.newBuilder().setId(id).build()));
  }

  /** On behalf of the run that made it. */
  Uni<OpenCheckpointResponse> open(StoredCheckpoint checkpoint, int epoch) {
    String run = checkpoint.getRun();
    return told(
        store
            .within(PATIENCE)
            .openCheckpoint(
                OpenCheckpointRequest.newBuilder()
                    .setRun(run)
                    .setEpoch(epoch)
                    .setLease(
                        config.lease().required()
                            ? leases.mint(run, epoch, checkpoint.getProject())
                            : "")
                    .setProject(checkpoint.getProject())
                    .setCheckpoint(checkpoint.getId())
                    .build()));
  }

  Uni<StoredCheckpoint> pin(PinCheckpointRequest request) {
    return told(store.within(PATIENCE).pinCheckpoint(request));
  }

  Uni<VerifyCheckpointResponse> verify(String id) {
    return told(
        store
            .within(WORK)
            .verifyCheckpoint(VerifyCheckpointRequest.newBuilder().setId(id).build()));
  }

  /** Everything that the store has of a run. */
  public Uni<DeleteRunResponse> deleteRun(DeleteRunRequest request) {
    return told(store.within(WORK).deleteRun(request));
  }

  private <T> Uni<T> told(Uni<T> answer) {
    return answer.onFailure().transform(store::problem);
  }
}
