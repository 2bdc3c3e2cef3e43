/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.attach;

import dev.baton.protocol.replica.GrpcTlsContextFactory;
import dev.baton.protocol.replica.ReplicaTargetResolver;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.runner.config.GrpcAddress;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Opens gRPC channels to the services. */
public final class GrpcChannelFactory {
  /** A definition, an input and a snapshot may be large; outputs in them are limited one by one. */
  private static final int MAX_MESSAGE = 256 << 20;

  private static final long KEEP_ALIVE_SECONDS = 20;

  /** Interval at which a disconnected channel is forced to retry, regardless of its back-off. */
  private static final long KNOCK_MS = 500;

  private static final ScheduledThreadPoolExecutor KNOCKS =
      new ScheduledThreadPoolExecutor(
          1, task -> Thread.ofPlatform().daemon().name("knocks").unstarted(task));

  private GrpcChannelFactory() {}

  /** Loads the classes that a connection needs, without connecting. */
  public static void prepare() {
    NettyChannelBuilder.forTarget("localhost")
        .usePlaintext()
        .directExecutor()
        .build()
        .shutdownNow();
  }

  /** Opens a channel without TLS. */
  public static ManagedChannel open(List<GrpcAddress> replicas) {
    return open(replicas, TlsSettings.NONE);
  }

  /**
   * Opens a channel that connects at the first call, to the first of these replicas that can be
   * reached. Reconnects within half a second after the service is available again. Callbacks run on
   * the network thread.
   *
   * @param tls for addresses with TLS
   */
  public static ManagedChannel open(List<GrpcAddress> replicas, TlsSettings tls) {
    NettyChannelBuilder builder =
        NettyChannelBuilder.forTarget(
                ReplicaTargetResolver.target(replicas.stream().map(GrpcAddress::toString).toList()))
            .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, ReplicaTargetResolver.CONNECT_MILLIS)
            .directExecutor()
            .maxInboundMessageSize(MAX_MESSAGE)
            .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS);
    if (replicas.getFirst().tls()) {
      builder.sslContext(GrpcTlsContextFactory.create(tls));
    } else {
      builder.usePlaintext();
    }
    ManagedChannel channel = builder.build();
    knockLater(channel);
    return channel;
  }

  private static void knockLater(ManagedChannel channel) {
    KNOCKS.schedule(() -> knock(channel), KNOCK_MS, TimeUnit.MILLISECONDS);
  }

  /**
   * Resets the channel's own back-off, which grows to two minutes: longer than any caller waits.
   */
  private static void knock(ManagedChannel channel) {
    if (channel.isShutdown()) {
      return;
    }
    if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
      channel.resetConnectBackoff();
    }
    knockLater(channel);
  }
}
