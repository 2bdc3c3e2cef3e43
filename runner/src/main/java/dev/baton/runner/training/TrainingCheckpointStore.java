/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.training;

import com.google.protobuf.ByteString;
import dev.baton.protocol.grpc.CommitLogChunkRequest;
import dev.baton.protocol.grpc.CommitLogChunkResponse;
import dev.baton.protocol.grpc.Download;
import dev.baton.protocol.grpc.GetSnapshotRequest;
import dev.baton.protocol.grpc.ObjectRef;
import dev.baton.protocol.grpc.PrepareDownloadRequest;
import dev.baton.protocol.grpc.PrepareDownloadResponse;
import dev.baton.protocol.grpc.PrepareLogChunkRequest;
import dev.baton.protocol.grpc.PrepareLogChunkResponse;
import dev.baton.protocol.grpc.PrepareUploadRequest;
import dev.baton.protocol.grpc.PrepareUploadResponse;
import dev.baton.protocol.grpc.Snapshot;
import dev.baton.protocol.grpc.Upload;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunState;
import io.grpc.stub.StreamObserver;

/** Stores the data of a run that two runners execute one after the other. */
final class TrainingCheckpointStore extends MemoryCheckpointStore {
  private final MemoryObjectStore objects;
  private volatile RunState state;

  TrainingCheckpointStore(MemoryObjectStore objects, RunState state) {
    this.objects = objects;
    this.state = state;
  }

  /** Sets the state that {@link #getSnapshot} returns. */
  void learn(RunState newer) {
    state = newer;
  }

  @Override
  protected String packUrl(String project, String digest) {
    return objects.url(digest);
  }

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
  public void prepareLogChunk(
      PrepareLogChunkRequest request, StreamObserver<PrepareLogChunkResponse> answer) {
    answer.onNext(
        PrepareLogChunkResponse.newBuilder().setPutUrl(objects.url(request.getDigest())).build());
    answer.onCompleted();
  }

  @Override
  public void commitLogChunk(
      CommitLogChunkRequest request, StreamObserver<CommitLogChunkResponse> answer) {
    answer.onNext(CommitLogChunkResponse.getDefaultInstance());
    answer.onCompleted();
  }

  @Override
  public void prepareDownload(
      PrepareDownloadRequest request, StreamObserver<PrepareDownloadResponse> answer) {
    PrepareDownloadResponse.Builder response = PrepareDownloadResponse.newBuilder();
    for (ObjectRef object : request.getObjectsList()) {
      String digest = object.getDigest();
      response.addDownloads(Download.newBuilder().setDigest(digest).setGetUrl(objects.url(digest)));
    }
    answer.onNext(response.build());
    answer.onCompleted();
  }
}
