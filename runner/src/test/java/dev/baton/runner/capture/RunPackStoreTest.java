/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.baton.protocol.grpc.CheckpointServiceGrpc;
import dev.baton.protocol.grpc.CommitCheckpointRequest;
import dev.baton.protocol.grpc.CommitCheckpointResponse;
import dev.baton.protocol.grpc.FindChunksRequest;
import dev.baton.protocol.grpc.FindChunksResponse;
import dev.baton.protocol.grpc.PrepareUploadRequest;
import dev.baton.protocol.grpc.PrepareUploadResponse;
import dev.baton.protocol.grpc.RegisterPacksRequest;
import dev.baton.protocol.grpc.RegisterPacksResponse;
import dev.baton.protocol.grpc.Upload;
import dev.baton.protocol.trace.RunId;
import dev.baton.runner.attach.GrpcChannelFactory;
import dev.baton.runner.config.GrpcAddress;
import dev.baton.snapshot.Pack;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.format.Hash;
import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RunPackStoreTest {
  private static final List<Hash> CHUNKS = List.of(Hash.of(new byte[] {1}), Hash.of(new byte[2]));

  @Test
  void shouldNotAskAgainWhereThereIsNothingToBeFound() throws Exception {
    assertThat(questions(true)).isEqualTo(1);
    assertThat(questions(false)).isEqualTo(3);
  }

  private static int questions(boolean nothing) throws Exception {
    AtomicInteger questions = new AtomicInteger();
    var store =
        new CheckpointServiceGrpc.CheckpointServiceImplBase() {
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
        };
    with(
        store,
        uploads -> {
          for (int i = 0; i < 3; i++) {
            assertThat(uploads.find(CHUNKS)).isEmpty();
          }
        });
    return questions.get();
  }

  @Test
  void shouldTellEachPackOnceThoughOthersArePutMeanwhile() throws Exception {
    List<ByteString> told = new CopyOnWriteArrayList<>();
    CountDownLatch registering = new CountDownLatch(1);
    CountDownLatch allArePut = new CountDownLatch(1);
    var store =
        new CheckpointServiceGrpc.CheckpointServiceImplBase() {
          @Override
          public void prepareUpload(
              PrepareUploadRequest request, StreamObserver<PrepareUploadResponse> answer) {
            answer.onNext(
                PrepareUploadResponse.newBuilder()
                    .addUploads(Upload.newBuilder().setPresent(true))
                    .build());
            answer.onCompleted();
          }

          @Override
          public void registerPacks(
              RegisterPacksRequest request, StreamObserver<RegisterPacksResponse> answer) {
            request.getPacksList().forEach(pack -> told.add(pack.getDigest()));
            registering.countDown();
            await(allArePut);
            answer.onNext(RegisterPacksResponse.getDefaultInstance());
            answer.onCompleted();
          }

          @Override
          public void commitCheckpoint(
              CommitCheckpointRequest request, StreamObserver<CommitCheckpointResponse> answer) {
            request.getPacksList().forEach(pack -> told.add(pack.getDigest()));
            answer.onNext(CommitCheckpointResponse.getDefaultInstance());
            answer.onCompleted();
          }
        };
    List<Pack> packs = List.of(packOfMany(0), packOfMany(1), packOfMany(2));
    with(
        store,
        uploads -> {
          Thread first = Thread.ofVirtual().start(() -> put(uploads, packs.get(0)));
          await(registering);
          put(uploads, packs.get(1));
          put(uploads, packs.get(2));
          allArePut.countDown();
          assertThat(first.join(Duration.ofSeconds(10))).isTrue();
          uploads.commit(new byte[] {'{', '}'});
        });
    assertThat(told)
        .containsExactlyElementsOf(
            packs.stream().map(pack -> ByteString.copyFrom(pack.ref().id().toBytes())).toList());
  }

  /** Has more chunks than may wait for the checkpoint. */
  private static Pack packOfMany(int number) {
    byte[] bytes = new byte[100];
    bytes[0] = (byte) number;
    List<Hash> chunks = Collections.nCopies(20_001, Hash.of(bytes));
    return new Pack(new PackRef(Hash.of(bytes), bytes.length, 50), bytes, bytes.length, chunks);
  }

  private static void put(RunPackStore uploads, Pack pack) {
    try {
      uploads.put(pack);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Uses the uploads of a test. */
  private interface Use {
    void accept(RunPackStore uploads) throws Exception;
  }

  private static void with(BindableService store, Use use) throws Exception {
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(store)
            .build()
            .start();
    ManagedChannel channel =
        GrpcChannelFactory.open(
            GrpcAddress.parseAll("the store", "http://127.0.0.1:" + server.getPort()));
    try {
      use.accept(
          new RunPackStore(
              new RunnerStoreClient(channel),
              new StoreCaller(RunId.next(), 1, "default", ""),
              Duration.ofSeconds(10)));
    } finally {
      channel.shutdownNow();
      server.shutdownNow();
    }
  }
}
