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
import dev.baton.protocol.grpc.RunnerGatewayServiceGrpc;
import dev.baton.protocol.grpc.RunnerMessage;
import dev.baton.protocol.grpc.TerminalInput;
import dev.baton.protocol.grpc.TerminalOutput;
import dev.baton.protocol.net.BearerCredential;
import dev.baton.protocol.retry.Backoff;
import dev.baton.protocol.tls.TlsFailure;
import dev.baton.runner.config.AttachToken;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a stream to the orchestrator open and reconnects whenever it breaks, for as long as the
 * process lives. The orchestrator repeats missed messages after the next hello. Thread-safe.
 */
public final class GatewayClient implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(GatewayClient.class);
  private static final int MAX_REPEATED = 1_000;
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of(BearerCredential.HEADER, Metadata.ASCII_STRING_MARSHALLER);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
  private static final Duration FIRST_REFUSED_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_REFUSED_PAUSE = Duration.ofSeconds(10);

  private final ManagedChannel channel;
  private final RunnerGatewayServiceGrpc.RunnerGatewayServiceStub stub;
  private final AtomicReference<@Nullable String> token;
  private final Supplier<Hello> hello;
  private final Consumer<GatewayMessage> messages;

  /** Releases are not acknowledged, so the newest are repeated on every new stream. */
  private final Queue<Released> released = new ArrayDeque<>();

  /** Set once the process is leaving; repeated on every new stream. */
  private @Nullable Leaving leaving;

  /** Completes when the stream breaks on which the leaving message was sent. */
  private CompletableFuture<Void> unheard = new CompletableFuture<>();

  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(
          1, task -> Thread.ofPlatform().daemon().name("gateway").unstarted(task));
  private @Nullable StreamObserver<RunnerMessage> stream;
  private final Backoff backoff = Backoff.exponential(FIRST_PAUSE, LONGEST_PAUSE);
  private final Backoff refusals = Backoff.exponential(FIRST_REFUSED_PAUSE, LONGEST_REFUSED_PAUSE);
  private boolean closed;

  /**
   * @param token with which the first stream is opened; the orchestrator may send another for later
   *     ones
   * @param hello creates the first message of each stream
   * @param messages called one at a time, in order, on a network thread; must not block
   */
  public GatewayClient(
      ManagedChannel channel,
      Optional<AttachToken> token,
      Supplier<Hello> hello,
      Consumer<GatewayMessage> messages) {
    this.token = new AtomicReference<>(token.map(AttachToken::value).orElse(null));
    this.channel = channel;
    this.stub = RunnerGatewayServiceGrpc.newStub(channel);
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
    StreamObserver<RunnerMessage> opened =
        authenticated().withWaitForReady().attach(new IncomingObserver());
    stream = opened;
    opened.onNext(first);
    if (leaving != null) {
      opened.onNext(RunnerMessage.newBuilder().setLeaving(leaving).build());
    }
    for (Released earlier : released) {
      opened.onNext(RunnerMessage.newBuilder().setReleased(earlier).build());
    }
  }

  private RunnerGatewayServiceGrpc.RunnerGatewayServiceStub authenticated() {
    String mine = token.get();
    if (mine == null) {
      return stub;
    }
    Metadata metadata = new Metadata();
    metadata.put(AUTHORIZATION, BearerCredential.header(mine));
    return stub.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata));
  }

  /**
   * Reports that the process ends soon.
   *
   * @param within time until it has ended
   * @return completes when the orchestrator cannot be assumed to have received it: at once without
   *     a stream, otherwise when the stream breaks
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

  /** Reports that this runner no longer executes a run. */
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
   * Reports that a requested checkpoint was not created. Sends nothing while the stream is broken,
   * since no request waits then.
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
   * Requests confirmation that a run is still assigned to this runner. Sends nothing while the
   * stream is broken; the caller repeats the request.
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

  /**
   * Opens the call of a terminal, on the connection of the stream.
   *
   * @param input receives what is typed, on a network thread; must not block
   * @return for what the terminal shows; not thread-safe
   */
  public StreamObserver<TerminalOutput> terminal(StreamObserver<TerminalInput> input) {
    return authenticated().terminal(input);
  }

  /** Ends the stream after the messages already sent. */
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

  /**
   * @param refused whether the orchestrator does not admit this runner; its settings may change
   */
  private synchronized void broken(String why, boolean refused) {
    stream = null;
    unheard.complete(null);
    unheard = new CompletableFuture<>();
    if (closed) {
      return;
    }
    // With jitter: the runners of a restarted orchestrator would attach all at once.
    Duration pause = refused ? refusals.next() : backoff.next();
    LOG.logf(
        refused ? Logger.Level.ERROR : Logger.Level.INFO,
        "orchestrator stream: not attached, retrying in %2$d ms: %1$s",
        why,
        pause.toMillis());
    timer.schedule(this::open, pause.toMillis(), TimeUnit.MILLISECONDS);
  }

  private synchronized void pong() {
    StreamObserver<RunnerMessage> open = stream;
    if (open != null) {
      open.onNext(RunnerMessage.newBuilder().setPong(Pong.getDefaultInstance()).build());
    }
  }

  private synchronized void working() {
    backoff.reset();
    refusals.reset();
  }

  /** Receives the orchestrator's messages of one stream. */
  private final class IncomingObserver implements StreamObserver<GatewayMessage> {
    @Override
    public void onNext(GatewayMessage message) {
      working();
      if (message.hasPing()) {
        pong();
        return;
      }
      if (message.hasAttached()) {
        token.set(message.getAttached().getToken());
        return;
      }
      messages.accept(message);
    }

    @Override
    public void onError(Throwable error) {
      broken(
          TlsFailure.of(error)
              .map(tls -> "the orchestrator: " + tls.advice("baton.orchestrator.url"))
              .orElseGet(() -> String.valueOf(error.getMessage())),
          Status.fromThrowable(error).getCode() == Status.Code.UNAUTHENTICATED);
    }

    @Override
    public void onCompleted() {
      broken("closed by the orchestrator", false);
    }
  }
}
