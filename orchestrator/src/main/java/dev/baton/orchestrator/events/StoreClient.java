/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.events;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.grpc.Cut;
import dev.baton.protocol.grpc.Event;
import dev.baton.protocol.grpc.EventsRequest;
import dev.baton.protocol.grpc.GetSnapshotRequest;
import dev.baton.protocol.grpc.ListCutsRequest;
import dev.baton.protocol.grpc.MutinyCheckpointStoreGrpc;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunState;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Asks the checkpoint-store. Thread-safe; connects at the first call and again whenever it must.
 */
@ApplicationScoped
public class StoreClient {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final int MAX_SNAPSHOT = 64 * 1024 * 1024;

  private final ManagedChannel channel;
  private final MutinyCheckpointStoreGrpc.MutinyCheckpointStoreStub store;
  private final URI url;

  StoreClient(OrchestratorConfig config) {
    url = config.storeUrl();
    channel =
        NettyChannelBuilder.forAddress(url.getHost(), url.getPort())
            .usePlaintext()
            .maxInboundMessageSize(MAX_SNAPSHOT)
            .build();
    store = MutinyCheckpointStoreGrpc.newMutinyStub(channel);
  }

  @PreDestroy
  void close() {
    channel.shutdownNow();
  }

  /** The run as the store has folded it now. */
  public Uni<RunState> state(String run) {
    return bounded()
        .getSnapshot(GetSnapshotRequest.newBuilder().setRun(run).build())
        .map(snapshot -> Json.read(snapshot.getState().toByteArray(), RunState.class))
        .onFailure(StatusRuntimeException.class)
        .transform(this::problem);
  }

  /** A run's cuts, newest first. */
  public Uni<List<Cut>> cuts(String run) {
    return bounded()
        .listCuts(ListCutsRequest.newBuilder().setRun(run).build())
        .map(cuts -> cuts.getCutsList())
        .onFailure(StatusRuntimeException.class)
        .transform(this::problem);
  }

  /** A page of a run's events from after a position; ends. */
  public Multi<Event> events(String run, long after, int limit) {
    return bounded()
        .events(EventsRequest.newBuilder().setRun(run).setAfter(after).setLimit(limit).build())
        .onFailure(StatusRuntimeException.class)
        .transform(this::problem);
  }

  /** A run's events from after a position, those to come included; ends after the run's end. */
  public Multi<Event> follow(String run, long after) {
    awaken();
    return store
        .withWaitForReady()
        .events(EventsRequest.newBuilder().setRun(run).setAfter(after).setFollow(true).build())
        .onFailure(StatusRuntimeException.class)
        .transform(this::problem);
  }

  private MutinyCheckpointStoreGrpc.MutinyCheckpointStoreStub bounded() {
    awaken();
    return store.withDeadlineAfter(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void awaken() {
    if (channel.getState(false) == io.grpc.ConnectivityState.TRANSIENT_FAILURE) {
      // Its back-off may have grown to minutes while the store was away.
      channel.resetConnectBackoff();
    }
  }

  private Throwable problem(Throwable failure) {
    Status status = ((StatusRuntimeException) failure).getStatus();
    return switch (status.getCode()) {
      case NOT_FOUND ->
          new ProblemException(
              ProblemKind.NOT_FOUND, "the checkpoint-store says: " + status.getDescription());
      case INVALID_ARGUMENT ->
          new ProblemException(
              ProblemKind.BAD_PARAMETER, "the checkpoint-store says: " + status.getDescription());
      default ->
          new ProblemException(
              ProblemKind.UNAVAILABLE,
              "the checkpoint-store at " + url + " did not answer (" + status.getCode() + ")");
    };
  }
}
