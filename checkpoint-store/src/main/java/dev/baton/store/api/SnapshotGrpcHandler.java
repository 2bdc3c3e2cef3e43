/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.api;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.baton.protocol.grpc.CommitCheckpointRequest;
import dev.baton.protocol.grpc.CommitCheckpointResponse;
import dev.baton.protocol.grpc.FindChunksRequest;
import dev.baton.protocol.grpc.FindChunksResponse;
import dev.baton.protocol.grpc.FoundPack;
import dev.baton.protocol.grpc.NewPack;
import dev.baton.protocol.grpc.OpenCheckpointRequest;
import dev.baton.protocol.grpc.OpenCheckpointResponse;
import dev.baton.protocol.grpc.OpenPack;
import dev.baton.protocol.grpc.RegisterPacksRequest;
import dev.baton.protocol.grpc.RegisterPacksResponse;
import dev.baton.snapshot.format.Hash;
import dev.baton.store.checkpoints.CheckpointCommitter;
import dev.baton.store.checkpoints.CheckpointReader;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.objects.ObjectName;
import dev.baton.store.packs.ChunkFinder;
import dev.baton.store.packs.PackRegistration;
import dev.baton.store.packs.PackRepository;
import dev.baton.store.snapshot.EpochGuard;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** Serves the calls that runners make while they capture and restore snapshots. */
@ApplicationScoped
class SnapshotGrpcHandler {
  private final EpochGuard holder;
  private final ChunkFinder chunks;
  private final PackRepository packs;
  private final CheckpointCommitter commits;
  private final CheckpointReader openings;

  SnapshotGrpcHandler(
      EpochGuard holder,
      ChunkFinder chunks,
      PackRepository packs,
      CheckpointCommitter commits,
      CheckpointReader openings) {
    this.holder = holder;
    this.chunks = chunks;
    this.packs = packs;
    this.commits = commits;
    this.openings = openings;
  }

  Uni<FindChunksResponse> find(FindChunksRequest request) {
    String run = StoreRequestValidator.run(request.getCaller().getRun());
    String project = ObjectName.project(request.getCaller().getProject());
    return holder
        .requireWriter(run, request.getCaller().getEpoch(), project, request.getCaller().getLease())
        .chain(() -> chunks.find(run, project, request.getDigests().toByteArray()))
        .map(SnapshotGrpcHandler::message);
  }

  private static FindChunksResponse message(ChunkFinder.Found found) {
    FindChunksResponse.Builder response =
        FindChunksResponse.newBuilder().setNothing(found.nothing());
    for (ChunkFinder.FoundPack pack : found.packs()) {
      response.addPacks(
          FoundPack.newBuilder()
              .setDigest(bytes(pack.digest()))
              .setSizeBytes(pack.sizeBytes())
              .setIndexBytes(pack.indexBytes()));
    }
    for (int place : found.places()) {
      response.addPlaces(place);
    }
    return response.build();
  }

  Uni<RegisterPacksResponse> register(RegisterPacksRequest request) {
    String run = StoreRequestValidator.run(request.getCaller().getRun());
    String project = ObjectName.project(request.getCaller().getProject());
    List<PackRegistration> told = told(request.getPacksList());
    return holder
        .requireWriter(run, request.getCaller().getEpoch(), project, request.getCaller().getLease())
        .chain(() -> packs.register(run, project, told))
        .replaceWith(RegisterPacksResponse.getDefaultInstance());
  }

  Uni<CommitCheckpointResponse> commit(CommitCheckpointRequest request) {
    String run = StoreRequestValidator.run(request.getCaller().getRun());
    String project = ObjectName.project(request.getCaller().getProject());
    List<PackRegistration> told = told(request.getPacksList());
    return holder
        .requireWriter(run, request.getCaller().getEpoch(), project, request.getCaller().getLease())
        .chain(
            () ->
                commits.commit(
                    run,
                    request.getCaller().getEpoch(),
                    project,
                    request.getManifest().toByteArray(),
                    told))
        .replaceWith(CommitCheckpointResponse.getDefaultInstance());
  }

  Uni<OpenCheckpointResponse> open(OpenCheckpointRequest request) {
    String run = StoreRequestValidator.run(request.getCaller().getRun());
    return holder
        .requireReader(
            run,
            request.getCaller().getEpoch(),
            ObjectName.project(request.getCaller().getProject()),
            request.getCaller().getLease())
        .chain(
            () ->
                openings.open(
                    ObjectName.project(request.getCaller().getProject()),
                    StoreRequestValidator.checkpoint(request.getCheckpoint())))
        .map(SnapshotGrpcHandler::message);
  }

  private static OpenCheckpointResponse message(CheckpointReader.Opened opened) {
    OpenCheckpointResponse.Builder response =
        OpenCheckpointResponse.newBuilder()
            .setManifest(UnsafeByteOperations.unsafeWrap(opened.manifest()));
    for (CheckpointReader.OpenPack pack : opened.packs()) {
      response.addPacks(
          OpenPack.newBuilder()
              .setDigest(bytes(pack.digest()))
              .setSizeBytes(pack.sizeBytes())
              .setIndexBytes(pack.indexBytes())
              .setGetUrl(pack.getUrl()));
    }
    return response.build();
  }

  private static List<PackRegistration> told(List<NewPack> packs) {
    return packs.stream()
        .map(
            pack ->
                new PackRegistration(
                    hash(pack.getDigest()),
                    pack.getSizeBytes(),
                    pack.getIndexBytes(),
                    pack.getChunks().toByteArray()))
        .toList();
  }

  private static Hash hash(ByteString bytes) {
    if (bytes.size() != Hash.BYTES) {
      throw StoreRequestException.invalid(
          "a pack's digest has %d bytes, it must have %d".formatted(bytes.size(), Hash.BYTES));
    }
    return Hash.read(bytes.toByteArray(), 0);
  }

  private static ByteString bytes(Hash hash) {
    return UnsafeByteOperations.unsafeWrap(hash.toBytes());
  }
}
