/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.api;

import dev.baton.protocol.grpc.CheckpointServiceGrpc;
import dev.baton.protocol.grpc.CommitCheckpointRequest;
import dev.baton.protocol.grpc.CommitCheckpointResponse;
import dev.baton.protocol.grpc.Download;
import dev.baton.protocol.grpc.FindChunksRequest;
import dev.baton.protocol.grpc.FindChunksResponse;
import dev.baton.protocol.grpc.GetCheckpointRequest;
import dev.baton.protocol.grpc.GetCheckpointResponse;
import dev.baton.protocol.grpc.ListCheckpointsRequest;
import dev.baton.protocol.grpc.ListCheckpointsResponse;
import dev.baton.protocol.grpc.ObjectRef;
import dev.baton.protocol.grpc.OpenCheckpointRequest;
import dev.baton.protocol.grpc.OpenCheckpointResponse;
import dev.baton.protocol.grpc.PinCheckpointRequest;
import dev.baton.protocol.grpc.PrepareDownloadRequest;
import dev.baton.protocol.grpc.PrepareDownloadResponse;
import dev.baton.protocol.grpc.PrepareForkRequest;
import dev.baton.protocol.grpc.PrepareForkResponse;
import dev.baton.protocol.grpc.PrepareUploadRequest;
import dev.baton.protocol.grpc.PrepareUploadResponse;
import dev.baton.protocol.grpc.RegisterPacksRequest;
import dev.baton.protocol.grpc.RegisterPacksResponse;
import dev.baton.protocol.grpc.StoredCheckpoint;
import dev.baton.protocol.grpc.Upload;
import dev.baton.protocol.grpc.VerifyCheckpointRequest;
import dev.baton.protocol.grpc.VerifyCheckpointResponse;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.objects.ObjectKind;
import dev.baton.store.objects.ObjectName;
import dev.baton.store.snapshot.EpochGuard;
import dev.baton.store.transfer.PresignedTransferService;
import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import java.util.List;

/** Serves checkpoints and the transfer of their packs. */
@GrpcService
class CheckpointGrpcService extends CheckpointServiceGrpc.CheckpointServiceImplBase {
  private final PresignedTransferService transfers;
  private final EpochGuard holder;
  private final SnapshotGrpcHandler snapshotCalls;
  private final CheckpointGrpcHandler keepingCalls;
  private final MaintenanceGrpcHandler maintenanceCalls;

  CheckpointGrpcService(
      PresignedTransferService transfers,
      EpochGuard holder,
      SnapshotGrpcHandler snapshotCalls,
      CheckpointGrpcHandler keepingCalls,
      MaintenanceGrpcHandler maintenanceCalls) {
    this.transfers = transfers;
    this.holder = holder;
    this.snapshotCalls = snapshotCalls;
    this.keepingCalls = keepingCalls;
    this.maintenanceCalls = maintenanceCalls;
  }

  @Override
  public void prepareUpload(
      PrepareUploadRequest request, StreamObserver<PrepareUploadResponse> observer) {
    UnaryAnswer.send(
        observer,
        () -> {
          String run = StoreRequestValidator.run(request.getCaller().getRun());
          List<ObjectName> names =
              names(request.getCaller().getProject(), request.getObjectsList());
          return holder
              .requireWriter(
                  run,
                  request.getCaller().getEpoch(),
                  ObjectName.project(request.getCaller().getProject()),
                  request.getCaller().getLease())
              .chain(() -> transfers.upload(run, names))
              .map(
                  uploads -> {
                    PrepareUploadResponse.Builder response = PrepareUploadResponse.newBuilder();
                    uploads.forEach(upload -> response.addUploads(message(upload)));
                    return response.build();
                  });
        });
  }

  @Override
  public void prepareDownload(
      PrepareDownloadRequest request, StreamObserver<PrepareDownloadResponse> observer) {
    UnaryAnswer.send(
        observer,
        () -> {
          String run = StoreRequestValidator.run(request.getCaller().getRun());
          List<ObjectName> names =
              names(request.getCaller().getProject(), request.getObjectsList());
          return holder
              .requireReader(
                  run,
                  request.getCaller().getEpoch(),
                  ObjectName.project(request.getCaller().getProject()),
                  request.getCaller().getLease())
              .chain(() -> transfers.download(names))
              .map(
                  downloads -> {
                    PrepareDownloadResponse.Builder response = PrepareDownloadResponse.newBuilder();
                    downloads.forEach(
                        download ->
                            response.addDownloads(
                                Download.newBuilder()
                                    .setDigest(download.object().digest())
                                    .setGetUrl(download.getUrl())
                                    .setSizeBytes(download.sizeBytes())));
                    return response.build();
                  });
        });
  }

  private static List<ObjectName> names(String project, List<ObjectRef> objects) {
    return objects.stream()
        .map(
            object ->
                new ObjectName(project, kind(object), object.getDigest(), object.getSizeBytes()))
        .toList();
  }

  private static ObjectKind kind(ObjectRef object) {
    return switch (object.getKind()) {
      case OBJECT_KIND_BLOB -> ObjectKind.BLOB;
      case OBJECT_KIND_PACK -> ObjectKind.PACK;
      case OBJECT_KIND_UNSPECIFIED, UNRECOGNIZED ->
          throw StoreRequestException.invalid(
              "object %s has no kind: OBJECT_KIND_BLOB or OBJECT_KIND_PACK"
                  .formatted(object.getDigest()));
    };
  }

  private static Upload message(PresignedTransferService.Upload upload) {
    Upload.Builder message = Upload.newBuilder().setDigest(upload.object().digest());
    return switch (upload) {
      case PresignedTransferService.Upload.Present present -> message.setPresent(true).build();
      case PresignedTransferService.Upload.Wanted wanted ->
          message.setPutUrl(wanted.putUrl()).putAllHeaders(wanted.headers()).build();
    };
  }

  @Override
  public void findChunks(FindChunksRequest request, StreamObserver<FindChunksResponse> observer) {
    UnaryAnswer.send(observer, () -> snapshotCalls.find(request));
  }

  @Override
  public void registerPacks(
      RegisterPacksRequest request, StreamObserver<RegisterPacksResponse> observer) {
    UnaryAnswer.send(observer, () -> snapshotCalls.register(request));
  }

  @Override
  public void commitCheckpoint(
      CommitCheckpointRequest request, StreamObserver<CommitCheckpointResponse> observer) {
    UnaryAnswer.send(observer, () -> snapshotCalls.commit(request));
  }

  @Override
  public void openCheckpoint(
      OpenCheckpointRequest request, StreamObserver<OpenCheckpointResponse> observer) {
    UnaryAnswer.send(observer, () -> snapshotCalls.open(request));
  }

  @Override
  public void listCheckpoints(
      ListCheckpointsRequest request, StreamObserver<ListCheckpointsResponse> observer) {
    UnaryAnswer.send(observer, () -> keepingCalls.list(request));
  }

  @Override
  public void getCheckpoint(
      GetCheckpointRequest request, StreamObserver<GetCheckpointResponse> observer) {
    UnaryAnswer.send(observer, () -> keepingCalls.get(request));
  }

  @Override
  public void pinCheckpoint(
      PinCheckpointRequest request, StreamObserver<StoredCheckpoint> observer) {
    UnaryAnswer.send(observer, () -> keepingCalls.pin(request));
  }

  @Override
  public void verifyCheckpoint(
      VerifyCheckpointRequest request, StreamObserver<VerifyCheckpointResponse> observer) {
    UnaryAnswer.send(observer, () -> maintenanceCalls.verify(request));
  }

  @Override
  public void prepareFork(
      PrepareForkRequest request, StreamObserver<PrepareForkResponse> observer) {
    UnaryAnswer.send(observer, () -> keepingCalls.fork(request));
  }
}
