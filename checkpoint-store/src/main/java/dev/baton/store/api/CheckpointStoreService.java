/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.api;

import com.google.protobuf.UnsafeByteOperations;
import dev.baton.protocol.grpc.CheckpointStoreGrpc;
import dev.baton.protocol.grpc.CommitCheckpointRequest;
import dev.baton.protocol.grpc.CommitCheckpointResponse;
import dev.baton.protocol.grpc.CommitLogChunkRequest;
import dev.baton.protocol.grpc.CommitLogChunkResponse;
import dev.baton.protocol.grpc.DeleteRunRequest;
import dev.baton.protocol.grpc.DeleteRunResponse;
import dev.baton.protocol.grpc.Download;
import dev.baton.protocol.grpc.Event;
import dev.baton.protocol.grpc.EventsRequest;
import dev.baton.protocol.grpc.FindChunksRequest;
import dev.baton.protocol.grpc.FindChunksResponse;
import dev.baton.protocol.grpc.GcReport;
import dev.baton.protocol.grpc.GetCheckpointRequest;
import dev.baton.protocol.grpc.GetCheckpointResponse;
import dev.baton.protocol.grpc.GetLimitsRequest;
import dev.baton.protocol.grpc.GetSnapshotRequest;
import dev.baton.protocol.grpc.Limits;
import dev.baton.protocol.grpc.ListArchiveRequest;
import dev.baton.protocol.grpc.ListArchiveResponse;
import dev.baton.protocol.grpc.ListCheckpointsRequest;
import dev.baton.protocol.grpc.ListCheckpointsResponse;
import dev.baton.protocol.grpc.ListCutsRequest;
import dev.baton.protocol.grpc.ListCutsResponse;
import dev.baton.protocol.grpc.ObjectRef;
import dev.baton.protocol.grpc.OpenCheckpointRequest;
import dev.baton.protocol.grpc.OpenCheckpointResponse;
import dev.baton.protocol.grpc.PinCheckpointRequest;
import dev.baton.protocol.grpc.PrepareDownloadRequest;
import dev.baton.protocol.grpc.PrepareDownloadResponse;
import dev.baton.protocol.grpc.PrepareForkRequest;
import dev.baton.protocol.grpc.PrepareForkResponse;
import dev.baton.protocol.grpc.PrepareLogChunkRequest;
import dev.baton.protocol.grpc.PrepareLogChunkResponse;
import dev.baton.protocol.grpc.PrepareUploadRequest;
import dev.baton.protocol.grpc.PrepareUploadResponse;
import dev.baton.protocol.grpc.ReadLogRequest;
import dev.baton.protocol.grpc.ReadLogResponse;
import dev.baton.protocol.grpc.RegisterPacksRequest;
import dev.baton.protocol.grpc.RegisterPacksResponse;
import dev.baton.protocol.grpc.ReindexReport;
import dev.baton.protocol.grpc.ReindexRequest;
import dev.baton.protocol.grpc.RequireFilesRequest;
import dev.baton.protocol.grpc.RequireFilesResponse;
import dev.baton.protocol.grpc.RetentionReport;
import dev.baton.protocol.grpc.RunGcRequest;
import dev.baton.protocol.grpc.RunRetentionRequest;
import dev.baton.protocol.grpc.ScrubReport;
import dev.baton.protocol.grpc.ScrubRequest;
import dev.baton.protocol.grpc.Snapshot;
import dev.baton.protocol.grpc.StoredCheckpoint;
import dev.baton.protocol.grpc.Upload;
import dev.baton.protocol.grpc.VerifyCheckpointRequest;
import dev.baton.protocol.grpc.VerifyCheckpointResponse;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.ResumeStateFinder;
import dev.baton.store.events.EventStreamService;
import dev.baton.store.events.ReadYourWritesGuard;
import dev.baton.store.events.StoredEvent;
import dev.baton.store.failure.FailureTranslator;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.lease.LeaseAuthenticator;
import dev.baton.store.objects.ObjectKind;
import dev.baton.store.objects.ObjectName;
import dev.baton.store.snapshot.CutRepository;
import dev.baton.store.snapshot.EpochGuard;
import dev.baton.store.snapshot.FoldedState;
import dev.baton.store.snapshot.ResumePointFinder;
import dev.baton.store.snapshot.RunSnapshotService;
import dev.baton.store.snapshot.RunStateCompressor;
import dev.baton.store.transfer.PresignedTransferService;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Implements the gRPC API. Extends the stub of grpc-java, whose stream observer reports whether the
 * client is ready; the generated Mutiny interface requests all items of a stream at once.
 */
@GrpcService
class CheckpointStoreService extends CheckpointStoreGrpc.CheckpointStoreImplBase {
  private final RunSnapshotService snapshots;
  private final ResumePointFinder points;
  private final CutRepository cuts;
  private final EventStreamService events;
  private final ReadYourWritesGuard seen;
  private final PresignedTransferService transfers;
  private final EpochGuard holder;
  private final LeaseAuthenticator leases;
  private final SnapshotGrpcHandler snapshotCalls;
  private final CheckpointGrpcHandler keepingCalls;
  private final MaintenanceGrpcHandler maintenanceCalls;
  private final ArchiveGrpcHandler archiveCalls;
  private final LogGrpcHandler logCalls;

  CheckpointStoreService(
      RunSnapshotService snapshots,
      ResumePointFinder points,
      CutRepository cuts,
      EventStreamService events,
      ReadYourWritesGuard seen,
      PresignedTransferService transfers,
      EpochGuard holder,
      LeaseAuthenticator leases,
      SnapshotGrpcHandler snapshotCalls,
      CheckpointGrpcHandler keepingCalls,
      MaintenanceGrpcHandler maintenanceCalls,
      ArchiveGrpcHandler archiveCalls,
      LogGrpcHandler logCalls) {
    this.snapshots = snapshots;
    this.points = points;
    this.cuts = cuts;
    this.events = events;
    this.seen = seen;
    this.transfers = transfers;
    this.holder = holder;
    this.leases = leases;
    this.snapshotCalls = snapshotCalls;
    this.keepingCalls = keepingCalls;
    this.maintenanceCalls = maintenanceCalls;
    this.archiveCalls = archiveCalls;
    this.logCalls = logCalls;
  }

  private static Snapshot message(ResumeStateFinder.Found point, boolean packed) {
    Snapshot.Builder snapshot = Snapshot.newBuilder();
    if (packed) {
      snapshot.setPackedState(
          UnsafeByteOperations.unsafeWrap(RunStateCompressor.of(point.state())));
    } else {
      snapshot.setState(UnsafeByteOperations.unsafeWrap(Json.bytes(point.state())));
    }
    String after = point.after();
    return after == null ? snapshot.build() : snapshot.setAfter(after).build();
  }

  @Override
  public void getSnapshot(GetSnapshotRequest request, StreamObserver<Snapshot> observer) {
    answer(
        observer,
        () -> {
          String run = StoreRequestValidator.run(request.getRun());
          if (request.getEpoch() == 0 && !request.getBeforeStep().isEmpty()) {
            return seen.await(run, StoreRequestValidator.seen(run, request.getSeenList()))
                .chain(() -> points.before(run, request.getBeforeStep()))
                .map(point -> message(point, request.getAcceptPacked()));
          }
          Uni<FoldedState> folded =
              request.getEpoch() == 0
                  ? seen.await(run, StoreRequestValidator.seen(run, request.getSeenList()))
                      .chain(() -> snapshots.now(run))
                  : leases
                      .require(request.getLease(), run, request.getEpoch(), null)
                      .chain(
                          () ->
                              snapshots.asOf(
                                  run,
                                  request.getEpoch(),
                                  Duration.ofMillis(request.getWaitMillis())));
          return folded.map(state -> message(state, request.getAcceptPacked()));
        });
  }

  private static Snapshot message(FoldedState folded, boolean packed) {
    Snapshot.Builder snapshot = Snapshot.newBuilder().setPosition(folded.position());
    return (packed
            ? snapshot.setPackedState(UnsafeByteOperations.unsafeWrap(folded.packed()))
            : snapshot.setState(UnsafeByteOperations.unsafeWrap(folded.state())))
        .build();
  }

  @Override
  public void getLimits(GetLimitsRequest request, StreamObserver<Limits> observer) {
    answer(
        observer,
        () ->
            Uni.createFrom()
                .item(Limits.newBuilder().setMaxStateBytes(snapshots.maxBytes()).build()));
  }

  @Override
  public void requireFiles(
      RequireFilesRequest request, StreamObserver<RequireFilesResponse> observer) {
    answer(
        observer,
        () -> {
          String run = StoreRequestValidator.run(request.getRun());
          return seen.await(run, StoreRequestValidator.seen(run, request.getSeenList()))
              .chain(() -> points.requireFiles(run))
              .replaceWith(RequireFilesResponse.getDefaultInstance());
        });
  }

  @Override
  public void prepareUpload(
      PrepareUploadRequest request, StreamObserver<PrepareUploadResponse> observer) {
    answer(
        observer,
        () -> {
          String run = StoreRequestValidator.run(request.getRun());
          List<ObjectName> names = names(request.getProject(), request.getObjectsList());
          return holder
              .requireWriter(
                  run,
                  request.getEpoch(),
                  ObjectName.project(request.getProject()),
                  request.getLease())
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
    answer(
        observer,
        () -> {
          String run = StoreRequestValidator.run(request.getRun());
          List<ObjectName> names = names(request.getProject(), request.getObjectsList());
          return holder
              .requireReader(
                  run,
                  request.getEpoch(),
                  ObjectName.project(request.getProject()),
                  request.getLease())
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

  @Override
  public void events(EventsRequest request, StreamObserver<Event> observer) {
    try {
      String run = StoreRequestValidator.run(request.getRun());
      long after = StoreRequestValidator.atLeastZero("after", request.getAfter());
      long limit = StoreRequestValidator.atLeastZero("limit", request.getLimit());
      seen.await(run, StoreRequestValidator.seen(run, request.getSeenList()))
          .onItem()
          .transformToMulti(none -> events.stream(run, after, request.getFollow(), limit))
          .map(CheckpointStoreService::message)
          .subscribe()
          .withSubscriber(
              new FlowControlledSubscriber<>((ServerCallStreamObserver<Event>) observer));
    } catch (StoreRequestException e) {
      observer.onError(FailureTranslator.asStatus(e));
    }
  }

  @Override
  public void listCuts(ListCutsRequest request, StreamObserver<ListCutsResponse> observer) {
    answer(
        observer,
        () ->
            cuts.of(StoreRequestValidator.run(request.getRun()))
                .map(
                    all -> {
                      ListCutsResponse.Builder response = ListCutsResponse.newBuilder();
                      all.forEach(cut -> response.addCuts(CutViewMapper.message(cut)));
                      return response.build();
                    }));
  }

  @Override
  public void findChunks(FindChunksRequest request, StreamObserver<FindChunksResponse> observer) {
    answer(observer, () -> snapshotCalls.find(request));
  }

  @Override
  public void registerPacks(
      RegisterPacksRequest request, StreamObserver<RegisterPacksResponse> observer) {
    answer(observer, () -> snapshotCalls.register(request));
  }

  @Override
  public void commitCheckpoint(
      CommitCheckpointRequest request, StreamObserver<CommitCheckpointResponse> observer) {
    answer(observer, () -> snapshotCalls.commit(request));
  }

  @Override
  public void openCheckpoint(
      OpenCheckpointRequest request, StreamObserver<OpenCheckpointResponse> observer) {
    answer(observer, () -> snapshotCalls.open(request));
  }

  @Override
  public void listCheckpoints(
      ListCheckpointsRequest request, StreamObserver<ListCheckpointsResponse> observer) {
    answer(observer, () -> keepingCalls.list(request));
  }

  @Override
  public void getCheckpoint(
      GetCheckpointRequest request, StreamObserver<GetCheckpointResponse> observer) {
    answer(observer, () -> keepingCalls.get(request));
  }

  @Override
  public void pinCheckpoint(
      PinCheckpointRequest request, StreamObserver<StoredCheckpoint> observer) {
    answer(observer, () -> keepingCalls.pin(request));
  }

  @Override
  public void listArchive(
      ListArchiveRequest request, StreamObserver<ListArchiveResponse> observer) {
    answer(observer, () -> archiveCalls.list(request));
  }

  @Override
  public void prepareLogChunk(
      PrepareLogChunkRequest request, StreamObserver<PrepareLogChunkResponse> observer) {
    answer(observer, () -> logCalls.prepare(request));
  }

  @Override
  public void commitLogChunk(
      CommitLogChunkRequest request, StreamObserver<CommitLogChunkResponse> observer) {
    answer(observer, () -> logCalls.commit(request));
  }

  @Override
  public void readLog(ReadLogRequest request, StreamObserver<ReadLogResponse> observer) {
    answer(observer, () -> logCalls.read(request));
  }

  @Override
  public void prepareFork(
      PrepareForkRequest request, StreamObserver<PrepareForkResponse> observer) {
    answer(observer, () -> keepingCalls.fork(request));
  }

  @Override
  public void verifyCheckpoint(
      VerifyCheckpointRequest request, StreamObserver<VerifyCheckpointResponse> observer) {
    answer(observer, () -> maintenanceCalls.verify(request));
  }

  @Override
  public void deleteRun(DeleteRunRequest request, StreamObserver<DeleteRunResponse> observer) {
    answer(observer, () -> maintenanceCalls.delete(request));
  }

  @Override
  public void runRetention(RunRetentionRequest request, StreamObserver<RetentionReport> observer) {
    answer(observer, () -> maintenanceCalls.retention(request));
  }

  @Override
  public void runGc(RunGcRequest request, StreamObserver<GcReport> observer) {
    answer(observer, () -> maintenanceCalls.gc(request));
  }

  @Override
  public void scrub(ScrubRequest request, StreamObserver<ScrubReport> observer) {
    answer(observer, () -> maintenanceCalls.scrub(request));
  }

  @Override
  public void reindex(ReindexRequest request, StreamObserver<ReindexReport> observer) {
    answer(observer, () -> maintenanceCalls.reindex(request));
  }

  private static <T> void answer(StreamObserver<T> observer, Supplier<Uni<? extends T>> work) {
    Uni.createFrom()
        .deferred(work)
        .subscribe()
        .with(
            item -> {
              observer.onNext(item);
              observer.onCompleted();
            },
            failure -> observer.onError(FailureTranslator.asStatus(failure)));
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

  private static Event message(StoredEvent event) {
    return Event.newBuilder()
        .setPosition(event.position())
        .setId(event.id().toString())
        .setSource(event.source())
        .setType(event.type())
        .setTimeMicros(Objects.requireNonNullElse(event.timeMicros(), 0L))
        .setData(UnsafeByteOperations.unsafeWrap(event.data()))
        .build();
  }
}
