/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.testkit;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import dev.baton.protocol.grpc.CheckpointServiceGrpc;
import dev.baton.protocol.grpc.CommitCheckpointRequest;
import dev.baton.protocol.grpc.CommitCheckpointResponse;
import dev.baton.protocol.grpc.FindChunksRequest;
import dev.baton.protocol.grpc.FindChunksResponse;
import dev.baton.protocol.grpc.OpenCheckpointRequest;
import dev.baton.protocol.grpc.OpenCheckpointResponse;
import dev.baton.protocol.grpc.OpenPack;
import dev.baton.protocol.grpc.RegisterPacksRequest;
import dev.baton.protocol.grpc.RegisterPacksResponse;
import dev.baton.protocol.grpc.SnapshotServiceGrpc;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.snapshot.format.Hash;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps the manifests of checkpoints in memory. Reports every chunk as missing. Thread-safe. */
public abstract class MemoryCheckpointStore
    implements SnapshotServiceGrpc.AsyncService, CheckpointServiceGrpc.AsyncService {
  private final Map<String, byte[]> manifests = new ConcurrentHashMap<>();

  /** Returns the definitions of both services, for a server. */
  public final List<ServerServiceDefinition> services() {
    return List.of(SnapshotServiceGrpc.bindService(this), CheckpointServiceGrpc.bindService(this));
  }

  /** Returns the URL from which to GET a pack. */
  protected abstract String packUrl(String project, String digest) throws IOException;

  /**
   * Returns the committed manifest.
   *
   * @throws IllegalArgumentException if the checkpoint does not exist
   */
  public final Manifest manifest(String checkpoint) {
    byte[] manifest = manifests.get(checkpoint);
    if (manifest == null) {
      throw new IllegalArgumentException("checkpoint not found: " + checkpoint);
    }
    return ManifestCodec.read(manifest);
  }

  /** Deletes the manifest of a checkpoint. */
  public final void loseManifest(String checkpoint) {
    manifests.remove(checkpoint);
  }

  /** Replaces the manifest of a checkpoint by one of an unknown version. */
  public final void changeVersion(String checkpoint, String version) {
    manifests.compute(
        checkpoint,
        (id, manifest) -> {
          if (manifest == null) {
            throw new IllegalArgumentException("checkpoint not found: " + id);
          }
          ObjectNode root = (ObjectNode) Json.tree(manifest);
          root.put("version", version);
          root.put("checksum", ManifestCodec.checksum(root));
          return Json.bytes(root);
        });
  }

  @Override
  public void findChunks(FindChunksRequest request, StreamObserver<FindChunksResponse> answer) {
    FindChunksResponse.Builder response = FindChunksResponse.newBuilder();
    for (int i = 0; i < request.getDigests().size(); i += Hash.BYTES) {
      response.addPlaces(0);
    }
    answer.onNext(response.build());
    answer.onCompleted();
  }

  @Override
  public void registerPacks(
      RegisterPacksRequest request, StreamObserver<RegisterPacksResponse> answer) {
    answer.onNext(RegisterPacksResponse.getDefaultInstance());
    answer.onCompleted();
  }

  @Override
  public void commitCheckpoint(
      CommitCheckpointRequest request, StreamObserver<CommitCheckpointResponse> answer) {
    byte[] manifest = request.getManifest().toByteArray();
    manifests.put(ManifestCodec.read(manifest).id(), manifest);
    answer.onNext(CommitCheckpointResponse.getDefaultInstance());
    answer.onCompleted();
  }

  @Override
  public void openCheckpoint(
      OpenCheckpointRequest request, StreamObserver<OpenCheckpointResponse> answer) {
    byte[] manifest = manifests.get(request.getCheckpoint());
    if (manifest == null) {
      answer.onError(Status.NOT_FOUND.withDescription("checkpoint not found").asException());
      return;
    }
    try {
      ManifestCodec.read(manifest);
    } catch (IllegalArgumentException e) {
      answer.onError(
          Status.FAILED_PRECONDITION
              .withDescription("checkpoint_damaged: " + e.getMessage())
              .asException());
      return;
    }
    OpenCheckpointResponse.Builder response =
        OpenCheckpointResponse.newBuilder().setManifest(ByteString.copyFrom(manifest));
    try {
      for (Manifest.Pack pack : ManifestCodec.read(manifest).workspace().packs()) {
        response.addPacks(
            OpenPack.newBuilder()
                .setDigest(ByteString.copyFrom(Hash.parse(pack.digest()).toBytes()))
                .setSizeBytes(pack.sizeBytes())
                .setIndexBytes(pack.indexBytes())
                .setGetUrl(packUrl(request.getCaller().getProject(), pack.digest())));
      }
    } catch (IOException e) {
      answer.onError(Status.UNAVAILABLE.withCause(e).asException());
      return;
    }
    answer.onNext(response.build());
    answer.onCompleted();
  }
}
