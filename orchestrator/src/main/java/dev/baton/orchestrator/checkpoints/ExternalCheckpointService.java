/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import com.google.protobuf.ByteString;
import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.lease.LeaseSigner;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.runs.RunQueryService;
import dev.baton.orchestrator.runs.RunView;
import dev.baton.orchestrator.store.StoreChannel;
import dev.baton.protocol.grpc.Caller;
import dev.baton.protocol.grpc.CommitCheckpointRequest;
import dev.baton.protocol.grpc.FindChunksRequest;
import dev.baton.protocol.grpc.MutinyCheckpointServiceGrpc.MutinyCheckpointServiceStub;
import dev.baton.protocol.grpc.PrepareUploadRequest;
import dev.baton.protocol.grpc.RegisterPacksRequest;
import dev.baton.protocol.trace.RunKind;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Calls the checkpoint-store for a run whose runner is external. Thread-safe.
 *
 * @see dev.baton.protocol.grpc.CheckpointService each method here is one call of this service
 */
@ApplicationScoped
class ExternalCheckpointService {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final RunQueryService runs;
  private final StoreChannel store;
  private final LeaseSigner leases;

  ExternalCheckpointService(RunQueryService runs, StoreChannel store, LeaseSigner leases) {
    this.runs = runs;
    this.store = store;
    this.leases = leases;
  }

  /** Fails with a problem unless the run is external and active. */
  private Uni<Caller> holder(String id, ProjectAccess access) {
    return runs.resolve(id, access).chain(runs::get).map(this::holder);
  }

  private Caller holder(RunView run) {
    if (!run.kind().equals(RunKind.EXTERNAL.word()) || run.endedAt() != null) {
      throw new ProblemException(
          ProblemKind.CONFLICT,
          "run %s is %s and %s: only an active external run accepts uploaded files"
              .formatted(run.id(), run.kind(), run.status()));
    }
    String lease = leases.mint(run.id(), run.epoch(), run.project());
    return Caller.newBuilder()
        .setProject(run.project())
        .setRun(run.id())
        .setEpoch(run.epoch())
        .setLease(lease)
        .build();
  }

  private <T> Uni<T> onBehalf(
      String id,
      ProjectAccess access,
      BiFunction<MutinyCheckpointServiceStub, Caller, Uni<T>> call) {
    return holder(id, access)
        .chain(
            holder ->
                store.ask(PATIENCE, connection -> call.apply(connection.checkpoints(), holder)));
  }

  Uni<PackUploadProtocol.Found> find(String id, byte[] digests, ProjectAccess access) {
    FindChunksRequest.Builder request =
        FindChunksRequest.newBuilder().setDigests(ByteString.copyFrom(digests));
    return onBehalf(
            id, access, (call, holder) -> call.findChunks(request.setCaller(holder).build()))
        .map(PackUploadProtocol.Found::of);
  }

  Uni<PackUploadProtocol.Places> prepare(
      String id, List<PackUploadProtocol.Wanted> packs, ProjectAccess access) {
    PrepareUploadRequest.Builder request = PrepareUploadRequest.newBuilder();
    packs.forEach(pack -> request.addObjects(pack.message()));
    return onBehalf(
            id, access, (call, holder) -> call.prepareUpload(request.setCaller(holder).build()))
        .map(PackUploadProtocol.Places::of);
  }

  Uni<Void> register(String id, List<PackUploadProtocol.Uploaded> packs, ProjectAccess access) {
    RegisterPacksRequest.Builder request = RegisterPacksRequest.newBuilder();
    packs.forEach(pack -> request.addPacks(pack.message()));
    return onBehalf(
            id, access, (call, holder) -> call.registerPacks(request.setCaller(holder).build()))
        .replaceWithVoid();
  }

  Uni<Void> commit(String id, byte[] manifest, ProjectAccess access) {
    CommitCheckpointRequest.Builder request =
        CommitCheckpointRequest.newBuilder().setManifest(ByteString.copyFrom(manifest));
    return onBehalf(
            id, access, (call, holder) -> call.commitCheckpoint(request.setCaller(holder).build()))
        .replaceWithVoid();
  }
}
