/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import dev.baton.protocol.grpc.Assign;
import dev.baton.protocol.grpc.CheckpointFailed;
import dev.baton.protocol.grpc.Confirm;
import dev.baton.protocol.grpc.GatewayMessage;
import dev.baton.protocol.grpc.Held;
import dev.baton.protocol.grpc.Hello;
import dev.baton.protocol.grpc.Leaving;
import dev.baton.protocol.grpc.Released;
import dev.baton.protocol.grpc.RunnerGatewayServiceGrpc;
import dev.baton.protocol.grpc.RunnerMessage;
import dev.baton.protocol.net.BearerCredential;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A scripted runner: a stream to the orchestrator without a process. */
public final class ScriptedRunner implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 20;

  private final String id;
  private final int slots;
  private final ManagedChannel channel;
  private final BlockingQueue<GatewayMessage> received = new LinkedBlockingQueue<>();
  private final List<Assign> otherRuns = new CopyOnWriteArrayList<>();
  private final StreamObserver<RunnerMessage> out;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicReference<@Nullable Status> refusal = new AtomicReference<>();

  public ScriptedRunner(int port, String id, int slots, Held... held) {
    this(port, id, "", slots, held);
  }

  /**
   * @param mode as in hello
   */
  public ScriptedRunner(int port, String id, String mode, int slots, Held... held) {
    this(port, id, mode, slots, Map.of(), held);
  }

  public ScriptedRunner(
      int port, String id, String mode, int slots, Map<String, String> labels, Held... held) {
    this(port, id, null, mode, slots, labels, held);
  }

  /** Attaches with a token. */
  public static ScriptedRunner withToken(int port, String id, @Nullable String token) {
    return new ScriptedRunner(port, id, token, "", 1, Map.of());
  }

  private ScriptedRunner(
      int port,
      String id,
      @Nullable String token,
      String mode,
      int slots,
      Map<String, String> labels,
      Held... held) {
    this.id = id;
    this.slots = slots;
    channel = NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    out =
        RunnerGatewayServiceGrpc.newStub(channel)
            .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata(token)))
            .attach(
                new StreamObserver<>() {
                  @Override
                  public void onNext(GatewayMessage message) {
                    received.add(message);
                  }

                  @Override
                  public void onError(Throwable failure) {
                    refusal.set(Status.fromThrowable(failure));
                    ended.countDown();
                  }

                  @Override
                  public void onCompleted() {
                    ended.countDown();
                  }
                });
    out.onNext(
        RunnerMessage.newBuilder()
            .setHello(
                Hello.newBuilder()
                    .setRunnerId(id)
                    .setPid(1)
                    .setHost("test")
                    .setSlots(slots)
                    .setMode(mode)
                    .putAllLabels(labels)
                    .addAllHeld(List.of(held)))
            .build());
  }

  private static Metadata metadata(@Nullable String token) {
    Metadata metadata = new Metadata();
    if (token != null) {
      metadata.put(
          Metadata.Key.of(BearerCredential.HEADER, Metadata.ASCII_STRING_MARSHALLER),
          BearerCredential.header(token));
    }
    return metadata;
  }

  /** Waits until the orchestrator has ended the stream; returns its status. */
  public Status awaitRefusal() throws InterruptedException {
    if (!ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("the stream of runner " + id + " has not ended");
    }
    return Objects.requireNonNull(refusal.get(), "the stream ended without an error");
  }

  public String id() {
    return id;
  }

  public int slots() {
    return slots;
  }

  /** Returns the next message that matches the predicate, and drops earlier ones. */
  public GatewayMessage await(Predicate<GatewayMessage> wanted) {
    while (true) {
      GatewayMessage message = next();
      if (wanted.test(message)) {
        return message;
      }
    }
  }

  /**
   * Returns the next assignment of a run. Keeps those of other runs for later calls, since runs are
   * assigned in any order; drops other messages.
   */
  public Assign awaitAssign(String run) {
    for (Assign assign : List.copyOf(otherRuns)) {
      if (assign.getRun().equals(run)) {
        otherRuns.remove(assign);
        return assign;
      }
    }
    while (true) {
      GatewayMessage message = next();
      if (message.hasAssign() && message.getAssign().getRun().equals(run)) {
        return message.getAssign();
      }
      if (message.hasAssign()) {
        otherRuns.add(message.getAssign());
      }
    }
  }

  private GatewayMessage next() {
    try {
      return Objects.requireNonNull(
          received.poll(PATIENCE_SECONDS, TimeUnit.SECONDS), "no such message");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  public int waiting() {
    return received.size();
  }

  public void release(String run, int epoch, String outcome) {
    out.onNext(
        RunnerMessage.newBuilder()
            .setReleased(Released.newBuilder().setRun(run).setEpoch(epoch).setOutcome(outcome))
            .build());
  }

  public void leave(String reason) {
    out.onNext(
        RunnerMessage.newBuilder()
            .setLeaving(Leaving.newBuilder().setReason(reason).setWithinMillis(27_000))
            .build());
  }

  public void failCheckpoint(String run, String request, String reason) {
    out.onNext(
        RunnerMessage.newBuilder()
            .setCheckpointFailed(
                CheckpointFailed.newBuilder().setRun(run).setRequestId(request).setReason(reason))
            .build());
  }

  /** Confirms like a runner that has suspended the run. */
  public void confirm(String run, int epoch, long suspension) {
    out.onNext(
        RunnerMessage.newBuilder()
            .setConfirm(Confirm.newBuilder().setRun(run).setEpoch(epoch).setSuspension(suspension))
            .build());
  }

  /** After it returns, no run is assigned to this runner any more. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      out.onCompleted();
      if (!ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the stream of runner " + id + " does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      channel.shutdownNow();
    }
  }
}
