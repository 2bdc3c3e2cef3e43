/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.training;

import com.google.protobuf.ByteString;
import dev.baton.protocol.grpc.Assign;
import dev.baton.protocol.grpc.CheckpointStoreGrpc;
import dev.baton.protocol.grpc.CommitCheckpointRequest;
import dev.baton.protocol.grpc.CommitCheckpointResponse;
import dev.baton.protocol.grpc.Download;
import dev.baton.protocol.grpc.FindChunksRequest;
import dev.baton.protocol.grpc.FindChunksResponse;
import dev.baton.protocol.grpc.GatewayMessage;
import dev.baton.protocol.grpc.GetSnapshotRequest;
import dev.baton.protocol.grpc.ObjectRef;
import dev.baton.protocol.grpc.OpenCheckpointRequest;
import dev.baton.protocol.grpc.OpenCheckpointResponse;
import dev.baton.protocol.grpc.OpenPack;
import dev.baton.protocol.grpc.PrepareDownloadRequest;
import dev.baton.protocol.grpc.PrepareDownloadResponse;
import dev.baton.protocol.grpc.PrepareUploadRequest;
import dev.baton.protocol.grpc.PrepareUploadResponse;
import dev.baton.protocol.grpc.RegisterPacksRequest;
import dev.baton.protocol.grpc.RegisterPacksResponse;
import dev.baton.protocol.grpc.RunnerGatewayGrpc;
import dev.baton.protocol.grpc.RunnerMessage;
import dev.baton.protocol.grpc.Snapshot;
import dev.baton.protocol.grpc.Upload;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.state.RunState;
import dev.baton.snapshot.format.Hash;
import io.grpc.BindableService;
import io.grpc.stub.StreamObserver;
import java.util.List;

/**
 * The orchestrator and the store as one run needs them: they assign it, and keep what it gives them
 * with the objects.
 */
final class Rehearsal {
  private final Assign assign;
  private final RunState state;
  private final MemoryObjectStore objects;

  /**
   * @param state what the store knows of the run
   */
  Rehearsal(Assign assign, RunState state, MemoryObjectStore objects) {
    this.assign = assign;
    this.state = state;
    this.objects = objects;
  }

  List<BindableService> services() {
    return List.of(new Gateway(), new Store());
  }

  private final class Gateway extends RunnerGatewayGrpc.RunnerGatewayImplBase {
    @Override
    public StreamObserver<RunnerMessage> attach(StreamObserver<GatewayMessage> toRunner) {
      return new StreamObserver<>() {
        @Override
        public void onNext(RunnerMessage message) {
          if (message.hasHello()) {
            toRunner.onNext(GatewayMessage.newBuilder().setAssign(assign).build());
          }
        }

        @Override
        public void onError(Throwable broken) {
          // The rehearsal is over.
        }

        @Override
        public void onCompleted() {
          toRunner.onCompleted();
        }
      };
    }
  }

  private final class Store extends CheckpointStoreGrpc.CheckpointStoreImplBase {
    @Override
    public void getSnapshot(GetSnapshotRequest request, StreamObserver<Snapshot> answer) {
      answer.onNext(Snapshot.newBuilder().setState(ByteString.copyFrom(Json.bytes(state))).build());
      answer.onCompleted();
    }

    @Override
    public void prepareUpload(
        PrepareUploadRequest request, StreamObserver<PrepareUploadResponse> answer) {
      PrepareUploadResponse.Builder response = PrepareUploadResponse.newBuilder();
      for (ObjectRef object : request.getObjectsList()) {
        String digest = object.getDigest();
        response.addUploads(
            Upload.newBuilder()
                .setDigest(digest)
                .setPresent(objects.has(digest))
                .setPutUrl(objects.url(digest)));
      }
      answer.onNext(response.build());
      answer.onCompleted();
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
      objects.keep(ManifestCodec.read(manifest).id(), manifest);
      answer.onNext(CommitCheckpointResponse.getDefaultInstance());
      answer.onCompleted();
    }

    @Override
    public void openCheckpoint(
        OpenCheckpointRequest request, StreamObserver<OpenCheckpointResponse> answer) {
      byte[] manifest = objects.manifest(request.getCheckpoint());
      OpenCheckpointResponse.Builder response =
          OpenCheckpointResponse.newBuilder().setManifest(ByteString.copyFrom(manifest));
      for (Manifest.Pack pack : ManifestCodec.read(manifest).workspace().packs()) {
        response.addPacks(
            OpenPack.newBuilder()
                .setDigest(ByteString.copyFrom(Hash.parse(pack.digest()).toBytes()))
                .setSizeBytes(pack.sizeBytes())
                .setIndexBytes(pack.indexBytes())
                .setGetUrl(objects.url(pack.digest())));
      }
      answer.onNext(response.build());
      answer.onCompleted();
    }

    @Override
    public void prepareDownload(
        PrepareDownloadRequest request, StreamObserver<PrepareDownloadResponse> answer) {
      PrepareDownloadResponse.Builder response = PrepareDownloadResponse.newBuilder();
      for (ObjectRef object : request.getObjectsList()) {
        String digest = object.getDigest();
        response.addDownloads(
            Download.newBuilder().setDigest(digest).setGetUrl(objects.url(digest)));
      }
      answer.onNext(response.build());
      answer.onCompleted();
    }
  }
}
