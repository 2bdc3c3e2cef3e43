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
import dev.baton.protocol.grpc.HoldCheckpointRequest;
import dev.baton.protocol.grpc.ListCheckpointsRequest;
import dev.baton.protocol.grpc.ListCheckpointsResponse;
import dev.baton.protocol.grpc.PinCheckpointRequest;
import dev.baton.protocol.grpc.StoredCheckpoint;
import dev.baton.store.checkpoints.Checkpoint;
import dev.baton.store.checkpoints.Checkpoints;
import dev.baton.store.checkpoints.Keeping;
import dev.baton.store.checkpoints.Openings;
import dev.baton.store.failure.StoreFailure;
import dev.baton.store.objects.ObjectName;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What people ask about checkpoints. To be called on a Vert.x context. */
@ApplicationScoped
class KeepingCalls {
  private static final int PAGE = 100;

  private final Checkpoints checkpoints;
  private final Keeping keeping;
  private final Openings openings;

  KeepingCalls(Checkpoints checkpoints, Keeping keeping, Openings openings) {
    this.checkpoints = checkpoints;
    this.keeping = keeping;
    this.openings = openings;
  }

  Uni<ListCheckpointsResponse> list(ListCheckpointsRequest request) {
    if (request.getRun().isEmpty() == request.getProject().isEmpty()) {
      throw StoreFailure.invalid("either run or project must be given");
    }
    int most =
        request.getLimit() == 0
            ? PAGE
            : (int) Requests.between("limit", request.getLimit(), 1, Checkpoints.MOST);
    Checkpoints.Cursor after = cursor(request.getCursor());
    Uni<List<Checkpoint>> page =
        request.getProject().isEmpty()
            ? checkpoints.ofRun(Requests.run(request.getRun()), after, most)
            : checkpoints.ofProject(ObjectName.project(request.getProject()), after, most);
    return page.chain(
        all ->
            checkpoints
                .holders(all)
                .map(
                    holders -> {
                      ListCheckpointsResponse.Builder response =
                          ListCheckpointsResponse.newBuilder();
                      all.forEach(each -> response.addCheckpoints(message(each, holders)));
                      if (all.size() == most) {
                        response.setNextCursor(
                            all.getLast().createdAt() + "/" + all.getLast().id());
                      }
                      return response.build();
                    }));
  }

  private static Checkpoints.@Nullable Cursor cursor(String text) {
    if (text.isEmpty()) {
      return null;
    }
    try {
      int slash = text.indexOf('/');
      return new Checkpoints.Cursor(
          Instant.parse(text.substring(0, slash)), Requests.checkpoint(text.substring(slash + 1)));
    } catch (DateTimeException | IndexOutOfBoundsException e) {
      throw StoreFailure.invalid("cursor '" + text + "' is none that was given out");
    }
  }

  Uni<GetCheckpointResponse> get(GetCheckpointRequest request) {
    String id = Requests.checkpoint(request.getId());
    return stored(id)
        .chain(
            stored ->
                openings
                    .manifest("", id)
                    .map(
                        manifest ->
                            GetCheckpointResponse.newBuilder()
                                .setCheckpoint(stored)
                                .setManifest(UnsafeByteOperations.unsafeWrap(manifest))
                                .build()));
  }

  Uni<StoredCheckpoint> pin(PinCheckpointRequest request) {
    String id = Requests.checkpoint(request.getId());
    return (request.getPinned()
            ? keeping.pin(id, request.getBy(), request.getReason())
            : keeping.unpin(id))
        .chain(() -> stored(id));
  }

  Uni<StoredCheckpoint> hold(HoldCheckpointRequest request) {
    String id = Requests.checkpoint(request.getId());
    String run = Requests.run(request.getRun());
    return (request.getHeld() ? keeping.hold(id, run) : keeping.release(id, run))
        .chain(() -> stored(id));
  }

  private Uni<StoredCheckpoint> stored(String id) {
    return checkpoints
        .get(id)
        .chain(
            found -> checkpoints.holders(List.of(found)).map(holders -> message(found, holders)));
  }

  private static StoredCheckpoint message(Checkpoint of, Map<String, List<String>> holders) {
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
        .addAllHeldBy(holders.getOrDefault(of.id(), List.of()))
        .build();
  }

  private static long micros(@Nullable Instant time) {
    return time == null ? 0 : ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }
}
