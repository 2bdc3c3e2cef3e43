/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.protocol.grpc.GatewayMessage;
import dev.baton.protocol.grpc.Hello;
import dev.baton.protocol.grpc.RunnerGateway;
import dev.baton.protocol.grpc.RunnerMessage;
import io.grpc.Status;
import io.quarkus.grpc.GrpcService;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.Cancellable;
import io.smallrye.mutiny.subscription.MultiEmitter;
import java.util.concurrent.atomic.AtomicReference;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The runners' side of the orchestrator: one stream per runner for its whole life. */
@GrpcService
class RunnerGatewayService implements RunnerGateway {
  private static final Logger LOG = Logger.getLogger(RunnerGatewayService.class);

  private final Attachments attachments;
  private final Welcome welcome;
  private final Releases releases;
  private final CheckpointRequests checkpoints;

  RunnerGatewayService(
      Attachments attachments, Welcome welcome, Releases releases, CheckpointRequests checkpoints) {
    this.checkpoints = checkpoints;
    this.attachments = attachments;
    this.welcome = welcome;
    this.releases = releases;
  }

  @Override
  public Multi<GatewayMessage> attach(Multi<RunnerMessage> messages) {
    return Multi.createFrom().emitter(out -> new Session(out).open(messages));
  }

  /** One stream. Its messages come one after the other. */
  private final class Session {
    private final MultiEmitter<? super GatewayMessage> out;
    private final AtomicReference<@Nullable Attached> attached = new AtomicReference<>();

    Session(MultiEmitter<? super GatewayMessage> out) {
      this.out = out;
    }

    void open(Multi<RunnerMessage> messages) {
      Cancellable upstream =
          messages.subscribe().with(this::on, this::broken, () -> out.complete());
      out.onTermination(
          () -> {
            upstream.cancel();
            closed();
          });
    }

    private void on(RunnerMessage message) {
      switch (message.getMessageCase()) {
        case HELLO -> hello(message.getHello());
        case RELEASED -> {
          Attached known = attached.get();
          if (known == null) {
            refuse("the first message must be hello");
          } else {
            releases.released(known, message.getReleased());
          }
        }
        case CHECKPOINT_FAILED -> checkpoints.failed(message.getCheckpointFailed());
        case MESSAGE_NOT_SET ->
            LOG.warn("a runner sent a message of a kind that this version does not know; skipped");
      }
    }

    private void hello(Hello hello) {
      if (hello.getRunnerId().isBlank() || hello.getSlots() < 1) {
        refuse("hello needs a runner_id and slots of 1 or more");
        return;
      }
      Attached fresh =
          new Attached(
              hello.getRunnerId(), hello.getPid(), hello.getSlots(), out::emit, out::complete);
      if (!attached.compareAndSet(null, fresh)) {
        refuse("hello was said already");
        return;
      }
      welcome
          .greet(fresh, hello)
          .subscribe()
          .with(
              done -> {},
              failure -> {
                LOG.warnf("runner %s could not be attached: %s", fresh.runner(), failure);
                out.fail(Status.UNAVAILABLE.withDescription("try again").asRuntimeException());
              });
    }

    private void refuse(String why) {
      out.fail(Status.INVALID_ARGUMENT.withDescription(why).asRuntimeException());
    }

    private void broken(Throwable failure) {
      LOG.debugf("a runner's stream broke: %s", failure);
      out.complete();
    }

    private void closed() {
      Attached known = attached.get();
      if (known != null) {
        attachments.remove(known);
        LOG.debugf("runner %s detached", known.runner());
      }
    }
  }
}
