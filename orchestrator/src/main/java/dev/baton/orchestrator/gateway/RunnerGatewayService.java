/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.orchestrator.replicas.ReplicaBus;
import dev.baton.orchestrator.replicas.ReplicaMessage;
import dev.baton.orchestrator.replicas.ReplicaSession;
import dev.baton.protocol.grpc.Attached;
import dev.baton.protocol.grpc.GatewayMessage;
import dev.baton.protocol.grpc.Hello;
import dev.baton.protocol.grpc.RunnerMessage;
import dev.baton.protocol.grpc.TerminalInput;
import dev.baton.protocol.grpc.TerminalOutput;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.quarkus.grpc.GrpcService;
import io.quarkus.grpc.RegisterInterceptor;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.smallrye.mutiny.subscription.MultiEmitter;
import jakarta.enterprise.event.Event;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Serves the gRPC streams of runners: one stream per runner for its whole life. */
@GrpcService
@RegisterInterceptor(AttachTokenInterceptor.class)
class RunnerGatewayService implements dev.baton.protocol.grpc.RunnerGatewayService {
  private static final Logger LOG = Logger.getLogger(RunnerGatewayService.class);

  private static final int MAX_SLOTS = 10_000;
  private static final Duration PING = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofSeconds(7);

  private final AttachAuthenticator authenticator;
  private final RunnerRegistry attachments;
  private final AttachReconciler welcome;
  private final RunReleaseHandler releases;
  private final CheckpointRequestDispatcher checkpoints;
  private final EpochConfirmationHandler confirmations;
  private final Event<RunnerLeavingEvent> leaving;
  private final TerminalDispatcher terminals;
  private final ReplicaBus bus;
  private final ReplicaSession session;

  RunnerGatewayService(
      AttachAuthenticator authenticator,
      RunnerRegistry attachments,
      AttachReconciler welcome,
      RunReleaseHandler releases,
      CheckpointRequestDispatcher checkpoints,
      EpochConfirmationHandler confirmations,
      Event<RunnerLeavingEvent> leaving,
      TerminalDispatcher terminals,
      ReplicaBus bus,
      ReplicaSession session) {
    this.terminals = terminals;
    this.authenticator = authenticator;
    this.confirmations = confirmations;
    this.leaving = leaving;
    this.bus = bus;
    this.session = session;
    this.checkpoints = checkpoints;
    this.attachments = attachments;
    this.welcome = welcome;
    this.releases = releases;
  }

  @Override
  public Multi<GatewayMessage> attach(Multi<RunnerMessage> messages) {
    AttachAuthenticator.Verdict verdict = authenticator.judge(AttachTokenInterceptor.TOKEN.get());
    return Multi.createFrom().emitter(out -> new Session(out, verdict).open(messages));
  }

  @Override
  public Multi<TerminalInput> terminal(Multi<TerminalOutput> messages) {
    AttachAuthenticator.Verdict verdict = authenticator.judge(AttachTokenInterceptor.TOKEN.get());
    if (verdict instanceof AttachAuthenticator.Verdict.Refused(String reason)) {
      LOG.warnf("a runner's terminal was not attached: %s", reason);
      return Multi.createFrom().failure(unauthenticated(reason));
    }
    return terminals.serve(messages);
  }

  private static Throwable unauthenticated(String reason) {
    return Status.UNAUTHENTICATED.withDescription(reason).asRuntimeException();
  }

  /** One stream. Its messages are handled one after the other. */
  private final class Session {
    private final MultiEmitter<? super GatewayMessage> out;
    private final AttachAuthenticator.Verdict verdict;
    private final AtomicReference<@Nullable RunnerConnection> attached = new AtomicReference<>();

    private final AtomicReference<@Nullable Cancellable> pings = new AtomicReference<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    Session(MultiEmitter<? super GatewayMessage> out, AttachAuthenticator.Verdict verdict) {
      this.out = out;
      this.verdict = verdict;
    }

    void open(Multi<RunnerMessage> messages) {
      Cancellable upstream =
          messages
              .subscribe()
              .with(
                  this::on,
                  this::broken,
                  () -> {
                    // First, so that a runner whose stream ends gets no further message.
                    closed();
                    out.complete();
                  });
      out.onTermination(
          () -> {
            upstream.cancel();
            closed();
          });
    }

    private void on(RunnerMessage message) {
      // At the first message: a call that fails before its listener exists is logged by the server.
      if (verdict instanceof AttachAuthenticator.Verdict.Refused(String reason)) {
        LOG.warnf("a runner was not attached: %s", reason);
        out.fail(unauthenticated(reason));
        return;
      }
      RunnerConnection sender = attached.get();
      if (sender != null) {
        attachments.heard(sender);
      }
      switch (message.getMessageCase()) {
        case HELLO -> hello(message.getHello());
        case RELEASED -> {
          RunnerConnection known = attached.get();
          if (known == null) {
            refuse("the first message must be hello");
          } else {
            releases.released(known, message.getReleased());
          }
        }
        case CONFIRM -> {
          RunnerConnection known = attached.get();
          if (known == null) {
            refuse("the first message must be hello");
          } else {
            confirmations.answer(known, message.getConfirm());
          }
        }
        case LEAVING -> {
          RunnerConnection known = attached.get();
          if (known == null) {
            refuse("the first message must be hello");
          } else {
            known.leave(message.getLeaving().getReason());
            leaving.fire(new RunnerLeavingEvent(known));
          }
        }
        case PONG -> {} // Only proves that it is alive.
        case CHECKPOINT_FAILED -> {
          if (attached.get() == null) {
            refuse("the first message must be hello");
          } else {
            checkpoints.failed(message.getCheckpointFailed());
          }
        }
        case MESSAGE_NOT_SET -> LOG.warn("runner stream: message of an unknown type, skipped");
      }
    }

    private void hello(Hello hello) {
      if (hello.getRunnerId().isBlank() || hello.getSlots() < 1 || hello.getSlots() > MAX_SLOTS) {
        refuse("hello needs a runner_id and slots of 1 to " + MAX_SLOTS);
        return;
      }
      Optional<RunnerConnection.Mode> mode = RunnerConnection.Mode.of(hello.getMode());
      if (mode.isEmpty()) {
        refuse("mode '" + hello.getMode() + "' is not allowed; allowed: shared, warm, isolated");
        return;
      }
      RunnerConnection fresh =
          new RunnerConnection(
              hello.getRunnerId(),
              hello.getPid(),
              mode.get(),
              hello.getSlots(),
              new RunnerProperties(hello.getLauncher(), hello.getPool(), hello.getLabelsMap()),
              hello.getAnswersPings(),
              out::emit,
              out::complete);
      if (!attached.compareAndSet(null, fresh)) {
        refuse("hello was already sent");
        return;
      }
      admit(hello)
          .chain(
              refusal ->
                  refusal.isPresent()
                      ? Uni.createFrom().failure(unauthenticated(refusal.get()))
                      : welcome.greet(fresh, hello))
          .subscribe()
          .with(
              done -> {
                tell(new ReplicaMessage.Has(fresh.runner()));
                watch(fresh);
              },
              failure -> {
                LOG.warnf("runner %s: attach failed, it has to retry: %s", fresh.runner(), failure);
                out.fail(
                    failure instanceof StatusRuntimeException
                        ? failure
                        : Status.UNAVAILABLE.withDescription("try again").asRuntimeException());
              });
    }

    /** Admits a runner and sends it the token for its next attach; returns why it is refused. */
    private Uni<Optional<String>> admit(Hello hello) {
      return switch (verdict) {
        case AttachAuthenticator.Verdict.Anyone() -> Uni.createFrom().item(Optional.empty());
        case AttachAuthenticator.Verdict.Refused(String reason) ->
            Uni.createFrom().item(Optional.of(reason));
        case AttachAuthenticator.Verdict.Only(AttachTokenSigner.Claims claims) ->
            authenticator
                .admit(claims, hello.getRunnerId())
                .invoke(
                    refusal -> {
                      if (refusal.isEmpty()) {
                        out.emit(attachedWith(authenticator.again(claims.runner())));
                      }
                    });
      };
    }

    private static GatewayMessage attachedWith(String token) {
      return GatewayMessage.newBuilder().setAttached(Attached.newBuilder().setToken(token)).build();
    }

    /**
     * Pings the runner until its stream ends. Closes a stream that is silent for too long; the
     * runner then opens a new one and reports its runs.
     */
    private void watch(RunnerConnection known) {
      attachments.heard(known);
      AtomicLong lastTick = new AtomicLong(System.nanoTime());
      Cancellable pinging =
          Multi.createFrom()
              .ticks()
              .every(PING)
              .onOverflow()
              .drop()
              .subscribe()
              .with(
                  tick -> {
                    long now = System.nanoTime();
                    if (now - lastTick.getAndSet(now) > 2 * PING.toNanos()) {
                      // This process itself was paused: messages that arrived meanwhile are unread.
                      attachments.heard(known);
                    }
                    if (known.isSilentFor(PATIENCE)) {
                      LOG.infof("runner %s: no answer for %s, detached", known.runner(), PATIENCE);
                      attachments.remove(known);
                      out.complete();
                    } else {
                      known.ping();
                    }
                  });
      if (!pings.compareAndSet(null, pinging) || closed.get()) {
        pinging.cancel();
      }
    }

    private void tell(ReplicaMessage message) {
      if (!session.isAlone()) {
        // A replica that misses the message finds out by its own pings.
        bus.tell(message)
            .subscribe()
            .with(
                told -> {},
                failure -> LOG.warnf("other replicas: not notified of %s: %s", message, failure));
      }
    }

    private void refuse(String why) {
      out.fail(Status.INVALID_ARGUMENT.withDescription(why).asRuntimeException());
    }

    private void broken(Throwable failure) {
      LOG.debugf("a runner's stream broke: %s", failure);
      out.complete();
    }

    private void closed() {
      if (!closed.compareAndSet(false, true)) {
        return;
      }
      Cancellable pinging = pings.get();
      if (pinging != null) {
        pinging.cancel();
      }
      RunnerConnection known = attached.get();
      if (known != null) {
        attachments.remove(known);
        if (!known.runs().isEmpty()) {
          tell(new ReplicaMessage.Recheck(known.runner()));
        }
        LOG.debugf("runner %s detached", known.runner());
      }
    }
  }
}
