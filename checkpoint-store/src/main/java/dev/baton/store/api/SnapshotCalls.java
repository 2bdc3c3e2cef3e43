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
import dev.baton.store.checkpoints.Commits;
import dev.baton.store.checkpoints.Openings;
import dev.baton.store.failure.StoreFailure;
import dev.baton.store.objects.ObjectName;
import dev.baton.store.packs.Chunks;
import dev.baton.store.packs.Packs;
import dev.baton.store.packs.ToldPack;
import dev.baton.store.snapshot.Holder;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** What runners ask while they capture and restore. */
@ApplicationScoped
class SnapshotCalls {
  private final Holder holder;
  private final Chunks chunks;
  private final Packs packs;
  private final Commits commits;
  private final Openings openings;

  SnapshotCalls(Holder holder, Chunks chunks, Packs packs, Commits commits, Openings openings) {
    this.holder = holder;
    this.chunks = chunks;
    this.packs = packs;
    this.commits = commits;
    this.openings = openings;
  }

  Uni<FindChunksResponse> find(FindChunksRequest request) {
    String run = Requests.run(request.getRun());
    String project = ObjectName.project(request.getProject());
    return holder
        .requireWriter(run, request.getEpoch(), project, request.getLease())
        .chain(() -> chunks.find(run, project, request.getDigests().toByteArray()))
        .map(SnapshotCalls::message);
  }

  private static FindChunksResponse message(Chunks.Found found) {
    FindChunksResponse.Builder response =
        FindChunksResponse.newBuilder().setNothing(found.nothing());
    for (Chunks.FoundPack pack : found.packs()) {
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
    String run = Requests.run(request.getRun());
    String project = ObjectName.project(request.getProject());
    List<ToldPack> told = told(request.getPacksList());
    return holder
        .requireWriter(run, request.getEpoch(), project, request.getLease())
        .chain(() -> packs.register(run, project, told))
        .replaceWith(RegisterPacksResponse.getDefaultInstance());
  }

  Uni<CommitCheckpointResponse> commit(CommitCheckpointRequest request) {
    String run = Requests.run(request.getRun());
    String project = ObjectName.project(request.getProject());
    List<ToldPack> told = told(request.getPacksList());
    return holder
        .requireWriter(run, request.getEpoch(), project, request.getLease())
        .chain(
            () ->
                commits.commit(
                    run, request.getEpoch(), project, request.getManifest().toByteArray(), told))
        .replaceWith(CommitCheckpointResponse.getDefaultInstance());
  }

  Uni<OpenCheckpointResponse> open(OpenCheckpointRequest request) {
    String run = Requests.run(request.getRun());
    return holder
        .requireReader(
            run, request.getEpoch(), ObjectName.project(request.getProject()), request.getLease())
        .chain(
            () ->
                openings.open(
                    ObjectName.project(request.getProject()),
                    Requests.checkpoint(request.getCheckpoint())))
        .map(SnapshotCalls::message);
  }

  private static OpenCheckpointResponse message(Openings.Opened opened) {
    OpenCheckpointResponse.Builder response =
        OpenCheckpointResponse.newBuilder()
            .setManifest(UnsafeByteOperations.unsafeWrap(opened.manifest()));
    for (Openings.OpenPack pack : opened.packs()) {
      response.addPacks(
          OpenPack.newBuilder()
              .setDigest(bytes(pack.digest()))
              .setSizeBytes(pack.sizeBytes())
              .setIndexBytes(pack.indexBytes())
              .setGetUrl(pack.getUrl()));
    }
    return response.build();
  }

  private static List<ToldPack> told(List<NewPack> packs) {
    return packs.stream()
        .map(
            pack ->
                new ToldPack(
                    hash(pack.getDigest()),
                    pack.getSizeBytes(),
                    pack.getIndexBytes(),
                    pack.getChunks().toByteArray()))
        .toList();
  }

  private static Hash hash(ByteString bytes) {
    if (bytes.size() != Hash.BYTES) {
      throw StoreFailure.invalid(
          "a pack's digest has %d bytes, it must have %d".formatted(bytes.size(), Hash.BYTES));
    }
    return Hash.read(bytes.toByteArray(), 0);
  }

  private static ByteString bytes(Hash hash) {
    return UnsafeByteOperations.unsafeWrap(hash.toBytes());
  }
}
