/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.attacks;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Calls methods of a server with messages of bytes. Thread-safe. */
final class RawGrpcClient implements AutoCloseable {
  private static final int CALL_SECONDS = 60;

  private final ManagedChannel channel;
  private final Channel calls;

  /**
   * @param token sent with each call, if present
   */
  RawGrpcClient(URI server, Optional<String> token) {
    channel =
        NettyChannelBuilder.forAddress(server.getHost(), server.getPort()).usePlaintext().build();
    Metadata headers = new Metadata();
    token.ifPresent(
        value ->
            headers.put(
                Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
                "Bearer " + value));
    calls =
        ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  /** What a stream brings: a message or its end. */
  sealed interface Received {
    record Message(byte[] bytes) implements Received {}

    record Ended(Status status) implements Received {}
  }

  /**
   * Calls a method and returns all messages of its answer.
   *
   * @throws io.grpc.StatusRuntimeException when it is refused
   */
  List<byte[]> call(String method, WireMessage request) {
    List<byte[]> answers = new ArrayList<>();
    ClientCalls.blockingServerStreamingCall(
            calls,
            method(method, MethodDescriptor.MethodType.SERVER_STREAMING),
            CallOptions.DEFAULT.withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS),
            request.bytes())
        .forEachRemaining(answers::add);
    return answers;
  }

  /** Opens a stream in both directions. */
  RawStream open(String method) {
    return new RawStream(
        calls.newCall(
            method(method, MethodDescriptor.MethodType.BIDI_STREAMING), CallOptions.DEFAULT));
  }

  /** A stream in both directions. */
  static final class RawStream {
    private final BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    private final StreamObserver<byte[]> out;

    private RawStream(ClientCall<byte[], byte[]> call) {
      out =
          ClientCalls.asyncBidiStreamingCall(
              call,
              new StreamObserver<>() {
                @Override
                public void onNext(byte[] message) {
                  received.add(new Received.Message(message));
                }

                @Override
                public void onError(Throwable failure) {
                  received.add(new Received.Ended(Status.fromThrowable(failure)));
                }

                @Override
                public void onCompleted() {
                  received.add(new Received.Ended(Status.OK));
                }
              });
    }

    void send(WireMessage message) {
      out.onNext(message.bytes());
    }

    /** Returns what comes next, or empty when nothing does within the time. */
    Optional<Received> next(long millis) throws InterruptedException {
      return Optional.ofNullable(received.poll(millis, TimeUnit.MILLISECONDS));
    }
  }

  /** Returns the code and the description of a status. */
  static String shown(Status status) {
    return status.getCode() + ", " + status.getDescription();
  }

  private static MethodDescriptor<byte[], byte[]> method(
      String name, MethodDescriptor.MethodType type) {
    return MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(type)
        .setFullMethodName(name)
        .setRequestMarshaller(new BytesMarshaller())
        .setResponseMarshaller(new BytesMarshaller())
        .build();
  }

  private static final class BytesMarshaller implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
