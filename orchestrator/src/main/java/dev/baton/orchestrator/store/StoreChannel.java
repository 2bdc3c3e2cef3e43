/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.store;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.grpc.MutinyArchiveServiceGrpc;
import dev.baton.protocol.grpc.MutinyCheckpointServiceGrpc;
import dev.baton.protocol.grpc.MutinyMaintenanceServiceGrpc;
import dev.baton.protocol.grpc.MutinySnapshotServiceGrpc;
import dev.baton.protocol.grpc.SnapshotServiceGrpc;
import dev.baton.protocol.replica.GrpcTlsContextFactory;
import dev.baton.protocol.replica.ReplicaTargetResolver;
import dev.baton.protocol.tls.TlsFailure;
import dev.baton.protocol.tls.TlsSettings;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The gRPC channel to the checkpoint-store. Thread-safe. */
@ApplicationScoped
public class StoreChannel {
  private static final int MAX_ANSWER = 64 * 1024 * 1024;
  private static final int STREAMS_PER_CONNECTION = 90;

  /** Bytes of a stream that may wait for its subscriber. */
  private static final int STREAM_WINDOW = 64 * 1024;

  /** The store's four services. */
  public record Calls(
      MutinySnapshotServiceGrpc.MutinySnapshotServiceStub snapshots,
      MutinyCheckpointServiceGrpc.MutinyCheckpointServiceStub checkpoints,
      MutinyArchiveServiceGrpc.MutinyArchiveServiceStub archive,
      MutinyMaintenanceServiceGrpc.MutinyMaintenanceServiceStub maintenance) {
    private Calls within(Duration patience) {
      long millis = patience.toMillis();
      return new Calls(
          snapshots.withDeadlineAfter(millis, TimeUnit.MILLISECONDS),
          checkpoints.withDeadlineAfter(millis, TimeUnit.MILLISECONDS),
          archive.withDeadlineAfter(millis, TimeUnit.MILLISECONDS),
          maintenance.withDeadlineAfter(millis, TimeUnit.MILLISECONDS));
    }
  }

  private final ServiceTokenInterceptor identity;
  private final ManagedChannel channel;
  private final Calls calls;
  private final List<URI> urls;
  private final TlsSettings tls;

  /** By the number of the connection; each has {@link #STREAMS_PER_CONNECTION} slots of streams. */
  private final List<ManagedChannel> streams = new ArrayList<>();

  private final BitSet slots = new BitSet();
  private boolean closed;

  StoreChannel(OrchestratorConfig config, ServiceTokenInterceptor identity) {
    this.identity = identity;
    urls = config.storeUrl();
    tls = config.tls().settings();
    channel = connection().build();
    calls =
        new Calls(
            MutinySnapshotServiceGrpc.newMutinyStub(channel),
            MutinyCheckpointServiceGrpc.newMutinyStub(channel),
            MutinyArchiveServiceGrpc.newMutinyStub(channel),
            MutinyMaintenanceServiceGrpc.newMutinyStub(channel));
  }

  private NettyChannelBuilder connection() {
    NettyChannelBuilder builder =
        NettyChannelBuilder.forTarget(
                ReplicaTargetResolver.target(
                    urls.stream().map(url -> url.getHost() + ":" + url.getPort()).toList()))
            .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, ReplicaTargetResolver.CONNECT_MILLIS)
            .intercept(identity)
            .maxInboundMessageSize(MAX_ANSWER);
    return "https".equals(urls.getFirst().getScheme())
        ? builder.sslContext(GrpcTlsContextFactory.create(tls))
        : builder.usePlaintext();
  }

  @PreDestroy
  void close() {
    channel.shutdownNow();
    synchronized (slots) {
      closed = true;
      streams.forEach(ManagedChannel::shutdownNow);
    }
  }

  /** Returns a stub whose calls time out after {@code patience}. */
  public Calls within(Duration patience) {
    awaken();
    return calls.within(patience);
  }

  /**
   * Calls the store for one response and maps failures to problems. The call must be idempotent: it
   * is repeated once when the server closed the connection, as servers do after an error on another
   * call's stream.
   */
  public <T> Uni<T> ask(Duration patience, Function<Calls, Uni<T>> call) {
    return call.apply(within(patience))
        .onFailure(StoreChannel::isConnectionClosed)
        .retry()
        .atMost(1)
        .onFailure()
        .transform(this::problem);
  }

  private static boolean isConnectionClosed(Throwable failure) {
    return failure instanceof StatusRuntimeException refused
        && String.valueOf(refused.getStatus().getDescription())
            .startsWith("Connection closed after GOAWAY");
  }

  /**
   * Returns a stream over a connection that no request for a single response uses: an HTTP/2 server
   * commonly allows 100 streams at the same time on a connection, and keeps further ones waiting.
   * The connection is selected at the subscription.
   */
  public <T> Multi<T> stream(Function<SnapshotServiceGrpc.SnapshotServiceStub, Multi<T>> call) {
    return Multi.createFrom()
        .deferred(
            () -> {
              AtomicBoolean freed = new AtomicBoolean();
              int slot;
              ManagedChannel connection;
              synchronized (slots) {
                slot = slots.nextClearBit(0);
                connection = streamConnection(slot / STREAMS_PER_CONNECTION);
                slots.set(slot);
              }
              awaken(connection);
              return call.apply(SnapshotServiceGrpc.newStub(connection))
                  .onTermination()
                  .invoke(
                      () -> {
                        if (freed.compareAndSet(false, true)) {
                          free(slot);
                        }
                      });
            });
  }

  private ManagedChannel streamConnection(int number) {
    if (number == streams.size()) {
      ManagedChannel opened = connection().flowControlWindow(STREAM_WINDOW).build();
      if (closed) {
        opened.shutdownNow();
      }
      streams.add(opened);
    }
    return streams.get(number);
  }

  private void free(int slot) {
    synchronized (slots) {
      slots.clear(slot);
    }
  }

  private void awaken() {
    awaken(channel);
  }

  private static void awaken(ManagedChannel channel) {
    if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
      // The backoff may have grown to minutes while the store was unavailable.
      channel.resetConnectBackoff();
    }
  }

  /** Maps a gRPC failure to a problem; returns other failures unchanged. */
  public Throwable problem(Throwable failure) {
    if (!(failure instanceof StatusRuntimeException refused)) {
      return failure;
    }
    Status status = refused.getStatus();
    ProblemKind kind =
        switch (status.getCode()) {
          case NOT_FOUND -> ProblemKind.NOT_FOUND;
          case INVALID_ARGUMENT, OUT_OF_RANGE -> ProblemKind.BAD_PARAMETER;
          case FAILED_PRECONDITION, ALREADY_EXISTS, ABORTED, PERMISSION_DENIED ->
              ProblemKind.CONFLICT;
          case RESOURCE_EXHAUSTED -> ProblemKind.BUSY;
          default -> ProblemKind.UNAVAILABLE;
        };
    return new ProblemException(
        kind,
        kind == ProblemKind.UNAVAILABLE
            ? "the checkpoint-store at "
                + addresses(urls)
                + TlsFailure.of(refused)
                    .map(tls -> ": " + tls.advice("baton.store-url"))
                    .orElse(" did not answer (" + description(status) + ")")
            : "checkpoint-store: " + status.getDescription());
  }

  private static String addresses(List<URI> urls) {
    return urls.stream().map(URI::toString).collect(Collectors.joining(", "));
  }

  private static String description(Status status) {
    return status.getDescription() == null
        ? status.getCode().name()
        : status.getCode() + ": " + status.getDescription();
  }
}
