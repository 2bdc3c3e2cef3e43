/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.api;

import com.google.protobuf.UnsafeByteOperations;
import dev.baton.protocol.grpc.GetCheckpointRequest;
import dev.baton.protocol.grpc.GetCheckpointResponse;
import dev.baton.protocol.grpc.ListCheckpointsRequest;
import dev.baton.protocol.grpc.ListCheckpointsResponse;
import dev.baton.protocol.grpc.PinCheckpointRequest;
import dev.baton.protocol.grpc.PrepareForkRequest;
import dev.baton.protocol.grpc.PrepareForkResponse;
import dev.baton.protocol.grpc.StoredCheckpoint;
import dev.baton.store.checkpoints.CheckpointEntity;
import dev.baton.store.checkpoints.CheckpointPinService;
import dev.baton.store.checkpoints.CheckpointReader;
import dev.baton.store.checkpoints.CheckpointRepository;
import dev.baton.store.events.ReadYourWritesGuard;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.forks.ForkPreparer;
import dev.baton.store.objects.ObjectName;
import dev.baton.store.snapshot.RunFoldService;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Serves checkpoint calls: list, get, pin and fork. Must be called on a Vert.x context. */
@ApplicationScoped
class CheckpointGrpcHandler {
  private static final int PAGE = 100;

  private final CheckpointRepository checkpoints;
  private final CheckpointPinService keeping;
  private final CheckpointReader openings;
  private final ForkPreparer forks;
  private final RunFoldService folds;
  private final ReadYourWritesGuard seen;

  CheckpointGrpcHandler(
      CheckpointRepository checkpoints,
      CheckpointPinService keeping,
      CheckpointReader openings,
      ForkPreparer forks,
      RunFoldService folds,
      ReadYourWritesGuard seen) {
    this.checkpoints = checkpoints;
    this.keeping = keeping;
    this.openings = openings;
    this.forks = forks;
    this.folds = folds;
    this.seen = seen;
  }

  Uni<ListCheckpointsResponse> list(ListCheckpointsRequest request) {
    if (request.getRun().isEmpty() == request.getProject().isEmpty()) {
      throw StoreRequestException.invalid("either run or project must be given");
    }
    int most =
        request.getLimit() == 0
            ? PAGE
            : (int)
                StoreRequestValidator.between(
                    "limit", request.getLimit(), 1, CheckpointRepository.MOST);
    CheckpointRepository.Cursor after = cursor(request.getCursor());
    Uni<List<CheckpointEntity>> page =
        request.getProject().isEmpty()
            ? checkpoints.ofRun(StoreRequestValidator.run(request.getRun()), after, most)
            : checkpoints.ofProject(ObjectName.project(request.getProject()), after, most);
    return page.map(
        all -> {
          ListCheckpointsResponse.Builder response = ListCheckpointsResponse.newBuilder();
          all.forEach(each -> response.addCheckpoints(message(each)));
          if (all.size() == most) {
            response.setNextCursor(all.getLast().createdAt() + "/" + all.getLast().id());
          }
          return response.build();
        });
  }

  private static CheckpointRepository.@Nullable Cursor cursor(String text) {
    if (text.isEmpty()) {
      return null;
    }
    try {
      int slash = text.indexOf('/');
      return new CheckpointRepository.Cursor(
          Instant.parse(text.substring(0, slash)),
          StoreRequestValidator.checkpoint(text.substring(slash + 1)));
    } catch (DateTimeException | IndexOutOfBoundsException e) {
      throw StoreRequestException.invalid(
          "cursor '" + text + "' is not a next_cursor of an earlier response");
    }
  }

  Uni<GetCheckpointResponse> get(GetCheckpointRequest request) {
    String id = StoreRequestValidator.checkpoint(request.getId());
    return checkpoints
        .get(id, request.hasVisible() ? request.getVisible().getProjectsList() : null)
        .map(CheckpointGrpcHandler::message)
        .chain(
            stored ->
                (request.getWithoutManifest()
                        ? Uni.createFrom().item(new byte[0])
                        : openings.manifest("", id))
                    .map(
                        manifest ->
                            GetCheckpointResponse.newBuilder()
                                .setCheckpoint(stored)
                                .setManifest(UnsafeByteOperations.unsafeWrap(manifest))
                                .build()));
  }

  Uni<StoredCheckpoint> pin(PinCheckpointRequest request) {
    String id = StoreRequestValidator.checkpoint(request.getId());
    Context caller = Objects.requireNonNull(Vertx.currentContext());
    return (request.getPinned()
            ? keeping.pin(id, request.getBy(), request.getReason())
            : keeping.unpin(id))
        // BucketClient may complete on any thread; the next step opens a session, so return to the
        // Vert.x context.
        .emitOn(work -> caller.runOnContext(ignored -> work.run()))
        .chain(() -> stored(id));
  }

  Uni<PrepareForkResponse> fork(PrepareForkRequest request) {
    if (request.getCheckpoint().isEmpty() == request.getStep().isEmpty()) {
      throw StoreRequestException.invalid("either checkpoint or step must be given");
    }
    boolean withCheckpoint = !request.getCheckpoint().isEmpty();
    if (request.getFilesOnly() && !withCheckpoint) {
      throw StoreRequestException.invalid("files_only needs a checkpoint");
    }
    String parent =
        withCheckpoint && request.getParent().isEmpty()
            ? ""
            : StoreRequestValidator.run(request.getParent());
    ForkPreparer.Asked asked =
        new ForkPreparer.Asked(
            StoreRequestValidator.run(request.getRun()),
            ObjectName.project(request.getProject()),
            parent,
            withCheckpoint ? StoreRequestValidator.checkpoint(request.getCheckpoint()) : "",
            request.getStep(),
            request.getFilesOnly());
    return seen.await(parent, StoreRequestValidator.seen(parent, request.getSeenList()))
        .chain(() -> forks.prepare(asked))
        .chain(
            prepared ->
                begun(request)
                    .map(
                        state ->
                            PrepareForkResponse.newBuilder()
                                .setParent(prepared.parent())
                                .setPosition(prepared.position())
                                .setStep(Objects.requireNonNullElse(prepared.step(), ""))
                                .setCheckpoint(
                                    Objects.requireNonNullElse(prepared.checkpoint(), ""))
                                .setState(UnsafeByteOperations.unsafeWrap(state))
                                .build()));
  }

  private Uni<byte[]> begun(PrepareForkRequest request) {
    return request.getWantState()
        ? folds.base(request.getRun())
        : Uni.createFrom().item(new byte[0]);
  }

  private Uni<StoredCheckpoint> stored(String id) {
    return checkpoints.get(id).map(CheckpointGrpcHandler::message);
  }

  private static StoredCheckpoint message(CheckpointEntity of) {
    return StoredCheckpoint.newBuilder()
        .setId(of.id())
        .setRun(of.run())
        .setProject(of.project())
        .setEpoch(of.epoch())
        .setStep(of.step())
        .setTrigger(of.trigger())
        .setCreatedAtMicros(micros(of.createdAt()))
        .setDigest(of.digest().toString())
        .setSizeBytes(of.sizeBytes())
        .setStoredBytes(of.storedBytes())
        .setFileCount(of.fileCount())
        .setPackCount(of.packCount())
        .setPackBytes(of.packBytes())
        .setVerification(
            of.problem() != null ? "corrupt" : of.verifiedAt() != null ? "verified" : "pending")
        .setVerifiedAtMicros(micros(of.verifiedAt()))
        .setProblem(Objects.requireNonNullElse(of.problem(), ""))
        .setPinned(of.pinnedAt() != null)
        .setPinReason(Objects.requireNonNullElse(of.pinReason(), ""))
        .setPinnedBy(Objects.requireNonNullElse(of.pinnedBy(), ""))
        .build();
  }

  private static long micros(@Nullable Instant time) {
    return time == null ? 0 : ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }
}
