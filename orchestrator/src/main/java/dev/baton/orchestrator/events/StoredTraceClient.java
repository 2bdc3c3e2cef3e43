/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.events;

import dev.baton.orchestrator.store.StoreChannel;
import dev.baton.protocol.grpc.Caller;
import dev.baton.protocol.grpc.Cut;
import dev.baton.protocol.grpc.Event;
import dev.baton.protocol.grpc.EventsRequest;
import dev.baton.protocol.grpc.GetSnapshotRequest;
import dev.baton.protocol.grpc.ListCutsRequest;
import dev.baton.protocol.grpc.RequireFilesRequest;
import dev.baton.protocol.grpc.Snapshot;
import dev.baton.protocol.grpc.VerifyEventsRequest;
import dev.baton.protocol.grpc.VerifyEventsResponse;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunState;
import io.grpc.StatusRuntimeException;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads runs and events from the checkpoint-store. Thread-safe; connects at the first call and
 * reconnects when necessary.
 */
@ApplicationScoped
public class StoredTraceClient {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** A signature takes up to 3 ms, and a run may have thousands of control events. */
  private static final Duration VERIFICATION = Duration.ofSeconds(60);

  /** Timeout of optional checks that only report a problem earlier. */
  private static final Duration LOOK = Duration.ofSeconds(2);

  private final StoreChannel store;

  StoredTraceClient(StoreChannel store) {
    this.store = store;
  }

  /**
   * Returns the run's state as the store has folded it so far.
   *
   * @param seen ids of the run's events that the state must include
   */
  public Uni<RunState> state(String run, List<String> seen) {
    GetSnapshotRequest request =
        GetSnapshotRequest.newBuilder()
            .setCaller(Caller.newBuilder().setRun(run))
            .addAllSeen(seen)
            .setAcceptPacked(true)
            .build();
    return store
        .ask(PATIENCE, stub -> stub.snapshots().getSnapshot(request))
        // Decoding hundreds of thousands of steps takes seconds.
        .emitOn(Infrastructure.getDefaultExecutor())
        .map(StoredTraceClient::state);
  }

  private static RunState state(Snapshot snapshot) {
    try (InputStream in =
        snapshot.getPackedState().isEmpty()
            ? snapshot.getState().newInput()
            : new GZIPInputStream(snapshot.getPackedState().newInput())) {
      return Json.mapper().readValue(in, RunState.class);
    } catch (IOException e) {
      throw new UncheckedIOException("the snapshot of the checkpoint-store cannot be read", e);
    }
  }

  /**
   * A state from which a run can continue.
   *
   * @param after the event after which the run had this state; null for the run's beginning or for
   *     the newest state
   */
  public record Point(RunState state, @Nullable String after) {}

  /**
   * Returns the run's state before the last visit of a step, or its newest state.
   *
   * @param seen ids of the run's events that the state must include
   * @param step of the main line; null for the newest state
   */
  public Uni<Point> resumePoint(String run, Uni<List<String>> seen, @Nullable String step) {
    return seen.chain(
            ids ->
                store.ask(
                    PATIENCE,
                    stub ->
                        stub.snapshots()
                            .getSnapshot(
                                GetSnapshotRequest.newBuilder()
                                    .setCaller(Caller.newBuilder().setRun(run))
                                    .addAllSeen(ids)
                                    .setBeforeStep(step == null ? "" : step)
                                    .setAcceptPacked(true)
                                    .build())))
        // Decoding hundreds of thousands of steps takes seconds.
        .emitOn(Infrastructure.getDefaultExecutor())
        .map(
            snapshot ->
                new Point(
                    state(snapshot), snapshot.getAfter().isEmpty() ? null : snapshot.getAfter()));
  }

  /**
   * Succeeds when the store has all files that the run needs to continue. Fails with a conflict
   * that names a missing file, and with {@link
   * dev.baton.orchestrator.problem.ProblemKind#UNAVAILABLE} when the store does not answer in time.
   *
   * @param seen ids of the run's events that the state must include
   */
  public Uni<Void> requireFiles(String run, Uni<List<String>> seen) {
    return seen.chain(
            ids ->
                store.ask(
                    LOOK,
                    stub ->
                        stub.snapshots()
                            .requireFiles(
                                RequireFilesRequest.newBuilder()
                                    .setRun(run)
                                    .addAllSeen(ids)
                                    .build())))
        .replaceWithVoid();
  }

  /** Verifies the proofs of a run's stored events; fails with a problem if it has none. */
  public Uni<VerifyEventsResponse> verify(String run) {
    VerifyEventsRequest request = VerifyEventsRequest.newBuilder().setRun(run).build();
    return store.ask(VERIFICATION, stub -> stub.maintenance().verifyEvents(request));
  }

  /** Lists a run's cuts, newest first. */
  public Uni<List<Cut>> cuts(String run) {
    ListCutsRequest request = ListCutsRequest.newBuilder().setRun(run).build();
    return store
        .ask(PATIENCE, stub -> stub.snapshots().listCuts(request))
        .map(cuts -> cuts.getCutsList());
  }

  /**
   * Returns a page of a run's events after a position, read no faster than its subscriber requests.
   *
   * @param seen ids of events that must be stored, so that the page is not older than what the
   *     caller has already seen of the run
   */
  public Multi<Event> events(String run, List<String> seen, long after, int limit) {
    EventsRequest request =
        EventsRequest.newBuilder()
            .setRun(run)
            .addAllSeen(seen)
            .setAfter(after)
            .setLimit(limit)
            .build();
    return store.<Event>stream(
            stub -> DemandDrivenStream.of(observer -> stub.events(request, observer), PATIENCE))
        .onFailure(StatusRuntimeException.class)
        .transform(store::problem);
  }

  /** Returns a run's events after a position, including future ones; ends after the run's end. */
  public Multi<Event> follow(String run, long after) {
    EventsRequest request =
        EventsRequest.newBuilder().setRun(run).setAfter(after).setFollow(true).build();
    return store.<Event>stream(
            stub ->
                DemandDrivenStream.of(
                    observer -> stub.withWaitForReady().events(request, observer)))
        .onFailure(StatusRuntimeException.class)
        .transform(store::problem);
  }
}
