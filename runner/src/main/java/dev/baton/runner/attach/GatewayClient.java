/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.attach;

import dev.baton.protocol.grpc.CheckpointFailed;
import dev.baton.protocol.grpc.Confirm;
import dev.baton.protocol.grpc.GatewayMessage;
import dev.baton.protocol.grpc.Hello;
import dev.baton.protocol.grpc.Leaving;
import dev.baton.protocol.grpc.Pong;
import dev.baton.protocol.grpc.Released;
import dev.baton.protocol.grpc.RunnerGatewayGrpc;
import dev.baton.protocol.grpc.RunnerMessage;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The stream to the orchestrator, opened again whenever it breaks, for as long as the process
 * lives. What the orchestrator says meanwhile it says again after the next hello. Thread-safe.
 */
public final class GatewayClient implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(GatewayClient.class);
  private static final int MAX_REPEATED = 1_000;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private final ManagedChannel channel;
  private final RunnerGatewayGrpc.RunnerGatewayStub stub;
  private final Supplier<Hello> hello;
  private final Consumer<GatewayMessage> messages;

  /** Nobody acknowledges them, so the newest are said again on every new stream. */
  private final Queue<Released> released = new ArrayDeque<>();

  /** Once it is known; said on every new stream. */
  private @Nullable Leaving leaving;

  /** Completes when the stream breaks on which it was said that the process ends. */
  private CompletableFuture<Void> unheard = new CompletableFuture<>();

  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(
          1, task -> Thread.ofPlatform().daemon().name("gateway").unstarted(task));
  private @Nullable StreamObserver<RunnerMessage> stream;
  private Duration pause = FIRST_PAUSE;
  private boolean closed;

  /**
   * @param hello what to say first, each time
   * @param messages called one at a time, in order, on a network thread: must not block
   */
  public GatewayClient(
      ManagedChannel channel, Supplier<Hello> hello, Consumer<GatewayMessage> messages) {
    this.channel = channel;
    this.stub = RunnerGatewayGrpc.newStub(channel);
    this.hello = hello;
    this.messages = messages;
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Opens the stream. */
  public synchronized void open() {
    if (closed) {
      return;
    }
    RunnerMessage first =
        RunnerMessage.newBuilder().setHello(hello.get().toBuilder().setAnswersPings(true)).build();
    StreamObserver<RunnerMessage> opened = stub.withWaitForReady().attach(new IncomingObserver());
    stream = opened;
    opened.onNext(first);
    if (leaving != null) {
      opened.onNext(RunnerMessage.newBuilder().setLeaving(leaving).build());
    }
    for (Released earlier : released) {
      opened.onNext(RunnerMessage.newBuilder().setReleased(earlier).build());
    }
  }

  /**
   * Says that the process ends soon.
   *
   * @param within by then it has ended
   * @return completes when nobody can be expected to have heard it: at once where there is no
   *     stream, later where that breaks
   */
  public synchronized CompletableFuture<Void> leave(String reason, Duration within) {
    Leaving now = Leaving.newBuilder().setReason(reason).setWithinMillis(within.toMillis()).build();
    leaving = now;
    StreamObserver<RunnerMessage> open = stream;
    if (open == null || channel.getState(false) != ConnectivityState.READY) {
      return CompletableFuture.completedFuture(null);
    }
    open.onNext(RunnerMessage.newBuilder().setLeaving(now).build());
    return unheard;
  }

  /** Says that a run is carried no longer. */
  public synchronized void release(String run, int epoch, String outcome) {
    Released now = Released.newBuilder().setRun(run).setEpoch(epoch).setOutcome(outcome).build();
    released.add(now);
    if (released.size() > MAX_REPEATED) {
      released.remove();
    }
    StreamObserver<RunnerMessage> open = stream;
    if (open != null) {
      open.onNext(RunnerMessage.newBuilder().setReleased(now).build());
    }
  }

  /**
   * A checkpoint that was asked for is not made. While the stream is broken nobody waits for it.
   */
  public synchronized void checkpointFailed(String run, String request, String reason) {
    StreamObserver<RunnerMessage> open = stream;
    if (open != null) {
      open.onNext(
          RunnerMessage.newBuilder()
              .setCheckpointFailed(
                  CheckpointFailed.newBuilder().setRun(run).setRequestId(request).setReason(reason))
              .build());
    }
  }

  /**
   * Asks whether a run is still this runner's. While the stream is broken nobody is asked: it is
   * asked again.
   */
  public synchronized void confirm(String run, int epoch, long suspension) {
    StreamObserver<RunnerMessage> open = stream;
    if (open != null) {
      open.onNext(
          RunnerMessage.newBuilder()
              .setConfirm(
                  Confirm.newBuilder().setRun(run).setEpoch(epoch).setSuspension(suspension))
              .build());
    }
  }

  /** Ends the stream after what was said. */
  @Override
  public synchronized void close() {
    closed = true;
    timer.shutdown();
    StreamObserver<RunnerMessage> open = stream;
    stream = null;
    if (open != null) {
      open.onCompleted();
    }
  }

  private synchronized void broken(String why) {
    stream = null;
    unheard.complete(null);
    unheard = new CompletableFuture<>();
    if (closed) {
      return;
    }
    LOG.infof("not attached to the orchestrator (%s): again in %d ms", why, pause.toMillis());
    timer.schedule(this::open, pause.toMillis(), TimeUnit.MILLISECONDS);
    Duration doubled = pause.multipliedBy(2);
    pause = doubled.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : doubled;
  }

  private synchronized void pong() {
    StreamObserver<RunnerMessage> open = stream;
    if (open != null) {
      open.onNext(RunnerMessage.newBuilder().setPong(Pong.getDefaultInstance()).build());
    }
  }

  private synchronized void working() {
    pause = FIRST_PAUSE;
  }

  /** The orchestrator's side of one stream. */
  private final class IncomingObserver implements StreamObserver<GatewayMessage> {
    @Override
    public void onNext(GatewayMessage message) {
      working();
      if (message.hasPing()) {
        pong();
        return;
      }
      messages.accept(message);
    }

    @Override
    public void onError(Throwable error) {
      broken(String.valueOf(error.getMessage()));
    }

    @Override
    public void onCompleted() {
      broken("it ended the stream");
    }
  }
}
