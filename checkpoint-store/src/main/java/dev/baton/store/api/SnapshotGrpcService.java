/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.api;

import com.google.protobuf.UnsafeByteOperations;
import dev.baton.protocol.grpc.CommitLogChunkRequest;
import dev.baton.protocol.grpc.CommitLogChunkResponse;
import dev.baton.protocol.grpc.Event;
import dev.baton.protocol.grpc.EventsRequest;
import dev.baton.protocol.grpc.GetLimitsRequest;
import dev.baton.protocol.grpc.GetSnapshotRequest;
import dev.baton.protocol.grpc.Limits;
import dev.baton.protocol.grpc.ListCutsRequest;
import dev.baton.protocol.grpc.ListCutsResponse;
import dev.baton.protocol.grpc.PrepareLogChunkRequest;
import dev.baton.protocol.grpc.PrepareLogChunkResponse;
import dev.baton.protocol.grpc.ReadLogRequest;
import dev.baton.protocol.grpc.ReadLogResponse;
import dev.baton.protocol.grpc.RequireFilesRequest;
import dev.baton.protocol.grpc.RequireFilesResponse;
import dev.baton.protocol.grpc.Snapshot;
import dev.baton.protocol.grpc.SnapshotServiceGrpc;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.ResumeStateFinder;
import dev.baton.store.events.EventStreamService;
import dev.baton.store.events.ReadYourWritesGuard;
import dev.baton.store.events.StoredEvent;
import dev.baton.store.failure.FailureTranslator;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.lease.CallerLeaseGuard;
import dev.baton.store.packs.PackRepository;
import dev.baton.store.snapshot.CutRepository;
import dev.baton.store.snapshot.FoldedState;
import dev.baton.store.snapshot.ResumePointFinder;
import dev.baton.store.snapshot.RunSnapshotService;
import dev.baton.store.snapshot.RunStateCompressor;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/**
 * Serves state, events and logs of runs. Written against grpc-java's own stub, whose stream
 * observer has the client's readiness: the generated Mutiny interface requests all of a stream at
 * once.
 */
@GrpcService
class SnapshotGrpcService extends SnapshotServiceGrpc.SnapshotServiceImplBase {
  private final RunSnapshotService snapshots;
  private final ResumePointFinder points;
  private final CutRepository cuts;
  private final EventStreamService events;
  private final ReadYourWritesGuard seen;
  private final CallerLeaseGuard leases;
  private final LogGrpcHandler logCalls;
  private final PackRepository packs;

  SnapshotGrpcService(
      RunSnapshotService snapshots,
      ResumePointFinder points,
      CutRepository cuts,
      EventStreamService events,
      ReadYourWritesGuard seen,
      CallerLeaseGuard leases,
      LogGrpcHandler logCalls,
      PackRepository packs) {
    this.snapshots = snapshots;
    this.points = points;
    this.cuts = cuts;
    this.events = events;
    this.seen = seen;
    this.leases = leases;
    this.logCalls = logCalls;
    this.packs = packs;
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
    UnaryAnswer.send(
        observer,
        () -> {
          String run = StoreRequestValidator.run(request.getCaller().getRun());
          if (request.getCaller().getEpoch() == 0 && !request.getBeforeStep().isEmpty()) {
            return seen.await(run, StoreRequestValidator.seen(run, request.getSeenList()))
                .chain(() -> points.before(run, request.getBeforeStep()))
                .map(point -> message(point, request.getAcceptPacked()));
          }
          if (request.getCaller().getEpoch() > 0 && request.getDamagedCount() > 0) {
            Set<String> damaged = StoreRequestValidator.damaged(request.getDamagedList());
            return leases
                .require(request.getCaller().getLease(), run, request.getCaller().getEpoch(), null)
                // First, so that no step of the state refers to the damaged packs again.
                .chain(() -> packs.suspect(run, damaged))
                .chain(
                    () ->
                        snapshots.asOfWithout(
                            run,
                            request.getCaller().getEpoch(),
                            Duration.ofMillis(request.getWaitMillis()),
                            damaged))
                .map(point -> message(point, request.getAcceptPacked()));
          }
          Uni<FoldedState> folded =
              request.getCaller().getEpoch() == 0
                  ? seen.await(run, StoreRequestValidator.seen(run, request.getSeenList()))
                      .chain(() -> snapshots.now(run))
                  : leases
                      .require(
                          request.getCaller().getLease(), run, request.getCaller().getEpoch(), null)
                      .chain(
                          () ->
                              snapshots.asOf(
                                  run,
                                  request.getCaller().getEpoch(),
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
    UnaryAnswer.send(
        observer,
        () ->
            Uni.createFrom()
                .item(Limits.newBuilder().setMaxStateBytes(snapshots.maxBytes()).build()));
  }

  @Override
  public void requireFiles(
      RequireFilesRequest request, StreamObserver<RequireFilesResponse> observer) {
    UnaryAnswer.send(
        observer,
        () -> {
          String run = StoreRequestValidator.run(request.getRun());
          return seen.await(run, StoreRequestValidator.seen(run, request.getSeenList()))
              .chain(() -> points.requireFiles(run))
              .replaceWith(RequireFilesResponse.getDefaultInstance());
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
          .map(SnapshotGrpcService::message)
          .subscribe()
          .withSubscriber(
              new FlowControlledSubscriber<>((ServerCallStreamObserver<Event>) observer));
    } catch (StoreRequestException e) {
      observer.onError(FailureTranslator.asStatus(e));
    }
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

  @Override
  public void listCuts(ListCutsRequest request, StreamObserver<ListCutsResponse> observer) {
    UnaryAnswer.send(
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
  public void prepareLogChunk(
      PrepareLogChunkRequest request, StreamObserver<PrepareLogChunkResponse> observer) {
    UnaryAnswer.send(observer, () -> logCalls.prepare(request));
  }

  @Override
  public void commitLogChunk(
      CommitLogChunkRequest request, StreamObserver<CommitLogChunkResponse> observer) {
    UnaryAnswer.send(observer, () -> logCalls.commit(request));
  }

  @Override
  public void readLog(ReadLogRequest request, StreamObserver<ReadLogResponse> observer) {
    UnaryAnswer.send(observer, () -> logCalls.read(request));
  }
}
