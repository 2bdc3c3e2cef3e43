/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.attach;

import dev.baton.runner.config.GrpcAddress;
import io.grpc.ManagedChannel;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;

class GrpcChannelFactoryTest {
  @Test
  void shouldTryAgainEveryHalfSecondHoweverOftenItFailed() throws Exception {
    try (ServerSocket refusing = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      ManagedChannel channel =
          GrpcChannelFactory.open(List.of(new GrpcAddress("127.0.0.1", refusing.getLocalPort())));
      try {
        channel.getState(true);
        // With the channel's own back-off the fourth attempt would follow 2 to 3 s after the third.
        refusing.setSoTimeout(1_900);
        for (int attempt = 1; attempt <= 5; attempt++) {
          refusing.accept().close();
        }
      } finally {
        channel.shutdownNow();
      }
    }
  }

  @Test
  void shouldGoToTheNextReplicaWhereTheFirstIsNotThere() throws Exception {
    int gone;
    try (ServerSocket before = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      gone = before.getLocalPort();
    }
    try (ServerSocket living = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      living.setSoTimeout(20_000);
      ManagedChannel channel =
          GrpcChannelFactory.open(
              GrpcAddress.parseAll(
                  "test",
                  "http://127.0.0.1:%d, http://localhost:%d"
                      .formatted(gone, living.getLocalPort())));
      try {
        channel.getState(true);
        living.accept().close();
      } finally {
        channel.shutdownNow();
      }
    }
  }
}
