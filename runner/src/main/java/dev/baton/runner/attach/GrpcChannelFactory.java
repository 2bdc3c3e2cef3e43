/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.attach;

import dev.baton.protocol.replica.ReplicaTargetResolver;
import dev.baton.runner.config.GrpcAddress;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Connections to the services. */
public final class GrpcChannelFactory {
  /** A definition, an input and a snapshot may be large; outputs in them are bounded one by one. */
  private static final int MAX_MESSAGE = 256 << 20;

  private static final long KEEP_ALIVE_SECONDS = 20;

  /** How often a channel that is not connected is told to try at once, whatever its back-off. */
  private static final long KNOCK_MS = 500;

  private static final ScheduledThreadPoolExecutor KNOCKS =
      new ScheduledThreadPoolExecutor(
          1, task -> Thread.ofPlatform().daemon().name("knocks").unstarted(task));

  private GrpcChannelFactory() {}

  /** Loads what a connection needs, and connects to nothing. */
  public static void prepare() {
    NettyChannelBuilder.forTarget("localhost")
        .usePlaintext()
        .directExecutor()
        .build()
        .shutdownNow();
  }

  /**
   * Connects at the first call, and again within half a second of when the other side is back: to
   * the first of these that can be connected. Callbacks run on the network thread.
   */
  public static ManagedChannel open(List<GrpcAddress> replicas) {
    ManagedChannel channel =
        NettyChannelBuilder.forTarget(
                ReplicaTargetResolver.target(replicas.stream().map(GrpcAddress::toString).toList()))
            .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, ReplicaTargetResolver.CONNECT_MILLIS)
            .usePlaintext()
            .directExecutor()
            .maxInboundMessageSize(MAX_MESSAGE)
            .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
            .build();
    knockLater(channel);
    return channel;
  }

  private static void knockLater(ManagedChannel channel) {
    KNOCKS.schedule(() -> knock(channel), KNOCK_MS, TimeUnit.MILLISECONDS);
  }

  /** The channel's own back-off grows to two minutes: longer than anyone here waits for a call. */
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
