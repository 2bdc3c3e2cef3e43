/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.events;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.baton.orchestrator.testing.PacedSubscriber;
import dev.baton.protocol.grpc.Event;
import dev.baton.protocol.grpc.EventsRequest;
import dev.baton.protocol.grpc.SnapshotServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.smallrye.mutiny.Multi;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class DemandDrivenStreamTest {
  private static final int EVENTS = 2_000;

  /** 64 KiB for each of the events, so more than connections buffer. */
  private final Endless endless = new Endless();

  private final Server server;
  private final ManagedChannel channel;

  DemandDrivenStreamTest() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(endless)
            .build()
            .start();
    channel =
        NettyChannelBuilder.forAddress(new InetSocketAddress("127.0.0.1", server.getPort()))
            .usePlaintext()
            .build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.shutdownNow();
  }

  /** Sends events as long as the connection accepts them. */
  private static final class Endless extends SnapshotServiceGrpc.SnapshotServiceImplBase {
    final AtomicInteger sent = new AtomicInteger();
    final CountDownLatch cancelled = new CountDownLatch(1);
    volatile boolean silent;

    @Override
    public void events(EventsRequest request, StreamObserver<Event> observer) {
      ServerCallStreamObserver<Event> call = (ServerCallStreamObserver<Event>) observer;
      Event event = Event.newBuilder().setData(ByteString.copyFrom(new byte[64 << 10])).build();
      call.setOnCancelHandler(cancelled::countDown);
      if (silent) {
        return;
      }
      call.setOnReadyHandler(
          () -> {
            while (call.isReady() && sent.get() < EVENTS) {
              call.onNext(event);
              if (sent.incrementAndGet() == EVENTS) {
                call.onCompleted();
              }
            }
          });
    }
  }

  private Multi<Event> stream() {
    return DemandDrivenStream.of(
        observer ->
            SnapshotServiceGrpc.newStub(channel)
                .events(EventsRequest.getDefaultInstance(), observer));
  }

  private PacedSubscriber<Event> subscribed() {
    PacedSubscriber<Event> subscriber = new PacedSubscriber<>();
    stream().subscribe().withSubscriber(subscriber);
    return subscriber;
  }

  @Test
  void shouldReceiveNoMoreThanTheSubscriberRequests() throws Exception {
    PacedSubscriber<Event> subscriber = subscribed();

    subscriber.request(1);
    subscriber.awaitItems(1);
    subscriber.request(3);
    subscriber.awaitItems(4);

    assertThat(endless.sent.get()).isLessThan(EVENTS / 2);
    subscriber.request(Long.MAX_VALUE);
    assertThat(subscriber.awaitEnd()).isNull();
    assertThat(subscriber.awaitItems(EVENTS)).hasSize(EVENTS);
  }

  @Test
  void shouldEndWhenTheServerSendsNothing() throws Exception {
    endless.silent = true;
    PacedSubscriber<Event> subscriber = new PacedSubscriber<>();
    DemandDrivenStream.<EventsRequest, Event>of(
            observer ->
                SnapshotServiceGrpc.newStub(channel)
                    .events(EventsRequest.getDefaultInstance(), observer),
            Duration.ofMillis(200))
        .subscribe()
        .withSubscriber(subscriber);
    subscriber.request(1);

    assertThat(subscriber.awaitEnd()).hasMessageContaining("DEADLINE_EXCEEDED");
    assertThat(endless.cancelled.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void shouldWaitForASubscriberThatRequestsNothing() throws Exception {
    PacedSubscriber<Event> subscriber = new PacedSubscriber<>();
    DemandDrivenStream.<EventsRequest, Event>of(
            observer ->
                SnapshotServiceGrpc.newStub(channel)
                    .events(EventsRequest.getDefaultInstance(), observer),
            Duration.ofSeconds(1))
        .subscribe()
        .withSubscriber(subscriber);
    subscriber.request(1);
    subscriber.awaitItems(1);

    TimeUnit.MILLISECONDS.sleep(2_500);
    subscriber.request(1);

    assertThat(subscriber.awaitItems(2)).hasSize(2);
  }

  @Test
  void shouldCancelTheCallWithTheSubscriber() throws Exception {
    PacedSubscriber<Event> subscriber = subscribed();
    subscriber.request(1);
    subscriber.awaitItems(1);

    subscriber.cancel();

    assertThat(endless.cancelled.await(30, TimeUnit.SECONDS)).isTrue();
  }
}
