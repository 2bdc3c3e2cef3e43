/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.attach;

import dev.baton.runner.config.Address;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.util.concurrent.TimeUnit;

/** Connections to the services. */
public final class Channels {
  /** A definition, an input and a snapshot may be large; outputs in them are bounded one by one. */
  private static final int MAX_MESSAGE = 256 << 20;

  private static final long KEEP_ALIVE_SECONDS = 20;

  private Channels() {}

  /** Connects at the first call. Callbacks run on the network thread. */
  public static ManagedChannel open(Address address) {
    return NettyChannelBuilder.forAddress(address.host(), address.port())
        .usePlaintext()
        .directExecutor()
        .maxInboundMessageSize(MAX_MESSAGE)
        .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
        .build();
  }
}
