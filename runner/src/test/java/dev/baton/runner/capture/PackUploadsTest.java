/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.grpc.CheckpointStoreGrpc;
import dev.baton.protocol.grpc.FindChunksRequest;
import dev.baton.protocol.grpc.FindChunksResponse;
import dev.baton.protocol.trace.RunId;
import dev.baton.runner.attach.Channels;
import dev.baton.runner.config.Address;
import dev.baton.snapshot.format.Hash;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PackUploadsTest {
  private static final List<Hash> CHUNKS = List.of(Hash.of(new byte[] {1}), Hash.of(new byte[2]));

  @Test
  void shouldNotAskAgainWhereThereIsNothingToBeFound() throws Exception {
    assertThat(questions(true)).isEqualTo(1);
    assertThat(questions(false)).isEqualTo(3);
  }

  private static int questions(boolean nothing) throws Exception {
    AtomicInteger questions = new AtomicInteger();
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(
                new CheckpointStoreGrpc.CheckpointStoreImplBase() {
                  @Override
                  public void findChunks(
                      FindChunksRequest request, StreamObserver<FindChunksResponse> answer) {
                    questions.incrementAndGet();
                    answer.onNext(
                        FindChunksResponse.newBuilder()
                            .addPlaces(0)
                            .addPlaces(0)
                            .setNothing(nothing)
                            .build());
                    answer.onCompleted();
                  }
                })
            .build()
            .start();
    ManagedChannel channel =
        Channels.open(Address.parseAll("the store", "http://127.0.0.1:" + server.getPort()));
    try {
      PackUploads uploads =
          new PackUploads(
              new StoreClient(channel),
              new Lease(RunId.next(), 1, "default", ""),
              Duration.ofSeconds(10));
      for (int i = 0; i < 3; i++) {
        assertThat(uploads.find(CHUNKS)).isEmpty();
      }
    } finally {
      channel.shutdownNow();
      server.shutdownNow();
    }
    return questions.get();
  }
}
