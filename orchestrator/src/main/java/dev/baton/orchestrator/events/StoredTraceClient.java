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
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunState;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.smallrye.mutiny.subscription.MultiEmitter;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Asks the checkpoint-store. Thread-safe; connects at the first call and again whenever it must.
 */
@ApplicationScoped
public class StoredTraceClient {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** For what is asked only to say something sooner. */
  private static final Duration LOOK = Duration.ofSeconds(2);

  private final StoreChannel store;

  StoredTraceClient(StoreChannel store) {
    this.store = store;
  }

  /**
   * The run as the store has folded it now.
   *
   * @param seen ids of the run's events that must be in it
   */
  public Uni<RunState> state(String run, List<String> seen) {
    return store
        .within(PATIENCE)
        .snapshots()
        .getSnapshot(
            GetSnapshotRequest.newBuilder()
                .setCaller(Caller.newBuilder().setRun(run))
                .addAllSeen(seen)
                .setAcceptPacked(true)
                .build())
        // Hundreds of thousands of steps are read for seconds.
        .emitOn(Infrastructure.getDefaultExecutor())
        .map(StoredTraceClient::state)
        .onFailure(StatusRuntimeException.class)
        .transform(store::problem);
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
   * A state that a run may go on from.
   *
   * @param after the event after which it was so; null: the run's beginning, or the newest state
   */
  public record Point(RunState state, @Nullable String after) {}

  /**
   * The run as of when a step was about to begin, the last time; or as it is now.
   *
   * @param seen ids of the run's events that must be in it
   * @param step of the main line; null: as it is now
   */
  public Uni<Point> resumePoint(String run, Uni<List<String>> seen, @Nullable String step) {
    return seen.chain(
            ids ->
                store
                    .within(PATIENCE)
                    .snapshots()
                    .getSnapshot(
                        GetSnapshotRequest.newBuilder()
                            .setCaller(Caller.newBuilder().setRun(run))
                            .addAllSeen(ids)
                            .setBeforeStep(step == null ? "" : step)
                            .setAcceptPacked(true)
                            .build()))
        // Hundreds of thousands of steps are read for seconds.
        .emitOn(Infrastructure.getDefaultExecutor())
        .map(
            snapshot ->
                new Point(
                    state(snapshot), snapshot.getAfter().isEmpty() ? null : snapshot.getAfter()))
        .onFailure(StatusRuntimeException.class)
        .transform(store::problem);
  }

  /**
   * Succeeds when all files are there with which the run as it is now would go on; fails with a
   * conflict that names what is not, and with {@link
   * dev.baton.orchestrator.problem.ProblemKind#UNAVAILABLE} when the store does not answer in time.
   *
   * @param seen ids of the run's events that must be in it
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

  /** A run's cuts, newest first. */
  public Uni<List<Cut>> cuts(String run) {
    return store
        .within(PATIENCE)
        .snapshots()
        .listCuts(ListCutsRequest.newBuilder().setRun(run).build())
        .map(cuts -> cuts.getCutsList())
        .onFailure(StatusRuntimeException.class)
        .transform(store::problem);
  }

  /**
   * A page of a run's events from after a position; ends.
   *
   * @param seen ids of events that must be stored, so that what is read does not fall behind what
   *     was told of the run
   */
  public Multi<Event> events(String run, List<String> seen, long after, int limit) {
    return store
        .within(PATIENCE)
        .snapshots()
        .events(
            EventsRequest.newBuilder()
                .setRun(run)
                .addAllSeen(seen)
                .setAfter(after)
                .setLimit(limit)
                .build())
        .onFailure(StatusRuntimeException.class)
        .transform(store::problem);
  }

  /** A run's events from after a position, those to come included; ends after the run's end. */
  public Multi<Event> follow(String run, long after) {
    EventsRequest request =
        EventsRequest.newBuilder().setRun(run).setAfter(after).setFollow(true).build();
    return Multi.createFrom()
        .<Event>emitter(out -> store.streaming().events(request, new Relay(out)))
        .onFailure(StatusRuntimeException.class)
        .transform(store::problem);
  }

  /**
   * Ends the call when nobody wants its events any more, which the generated stub would leave open
   * until the run's end.
   */
  private record Relay(MultiEmitter<? super Event> out)
      implements ClientResponseObserver<EventsRequest, Event> {
    @Override
    public void beforeStart(ClientCallStreamObserver<EventsRequest> call) {
      out.onTermination(() -> call.cancel("nobody listens any more", null));
    }

    @Override
    public void onNext(Event event) {
      out.emit(event);
    }

    @Override
    public void onError(Throwable failure) {
      if (!out.isCancelled()) {
        out.fail(failure);
      }
    }

    @Override
    public void onCompleted() {
      out.complete();
    }
  }
}
