/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.replicas.ReplicaBus;
import dev.baton.orchestrator.replicas.ReplicaMessage;
import dev.baton.orchestrator.replicas.ReplicaSession;
import dev.baton.protocol.grpc.GatewayMessage;
import dev.baton.protocol.grpc.OpenTerminal;
import dev.baton.protocol.grpc.TerminalInput;
import dev.baton.protocol.grpc.TerminalOutput;
import io.grpc.Status;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.smallrye.mutiny.subscription.MultiEmitter;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Requests terminals from runners that are attached to this replica, and finds the replica of
 * others. A runner opens a call of its own for each terminal, on the connection of its stream.
 * Thread-safe.
 */
@ApplicationScoped
public class TerminalDispatcher {
  private static final Logger LOG = Logger.getLogger(TerminalDispatcher.class);

  /** A runner starts two processes for it. */
  private static final Duration OPENED_WITHIN = Duration.ofSeconds(10);

  /** A notification and its answer take milliseconds. */
  private static final Duration FOUND_WITHIN = Duration.ofSeconds(2);

  private final RunnerRegistry attachments;
  private final ReplicaBus bus;
  private final ReplicaSession session;
  private final URI url;
  private final ConcurrentMap<String, CompletableFuture<Answer>> requests =
      new ConcurrentHashMap<>();
  private final ConcurrentMap<String, CompletableFuture<URI>> searches = new ConcurrentHashMap<>();

  TerminalDispatcher(
      RunnerRegistry attachments,
      ReplicaBus bus,
      ReplicaSession session,
      OrchestratorConfig config) {
    this.attachments = attachments;
    this.bus = bus;
    this.session = session;
    this.url = config.orchestratorUrl().getFirst();
  }

  /** The result of a request. */
  public sealed interface Answer {
    /** The screen of this step is shown. */
    record Opened(TerminalLink link, String step) implements Answer {}

    /** The runner has no such screen, and why. */
    record Refused(String reason) implements Answer {}

    /** The run's runner is attached to another replica. */
    record Elsewhere(URI replica) implements Answer {}

    /** No attached runner carries the run. */
    record NotCarried() implements Answer {}

    /** The run's runner has not answered in time. */
    record Silent() implements Answer {}
  }

  /**
   * @param request its id is set here
   */
  public Uni<Answer> open(OpenTerminal request) {
    Optional<RunnerConnection> holder = attachments.holder(request.getRun());
    if (holder.isEmpty()) {
      return elsewhere(request.getRun());
    }
    String id = UUID.randomUUID().toString();
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    requests.put(id, answer);
    holder
        .get()
        .send(GatewayMessage.newBuilder().setOpenTerminal(request.toBuilder().setId(id)).build());
    return Uni.createFrom()
        .completionStage(answer)
        .ifNoItem()
        .after(OPENED_WITHIN)
        .recoverWithItem(Answer.Silent::new)
        .onTermination()
        .invoke(() -> requests.remove(id, answer));
  }

  private Uni<Answer> elsewhere(String run) {
    if (session.isAlone()) {
      return Uni.createFrom().item(new Answer.NotCarried());
    }
    String id = UUID.randomUUID().toString();
    CompletableFuture<URI> found = new CompletableFuture<>();
    searches.put(id, found);
    return bus.tell(new ReplicaMessage.TerminalWanted(id, run))
        .chain(() -> Uni.createFrom().completionStage(found))
        .<Answer>map(Answer.Elsewhere::new)
        .ifNoItem()
        .after(FOUND_WITHIN)
        .recoverWithItem(Answer.NotCarried::new)
        .onTermination()
        .invoke(() -> searches.remove(id, found));
  }

  /** Handles a search of another replica, or its result. */
  void on(@Observes ReplicaMessage message) {
    if (message instanceof ReplicaMessage.TerminalWanted(String id, String run)
        && attachments.holder(run).isPresent()) {
      // The requester waits with a timeout.
      bus.tell(new ReplicaMessage.TerminalAt(id, url.toString()))
          .subscribe()
          .with(
              sent -> {},
              failure -> LOG.warnf("failed to notify a replica of a terminal: %s", failure));
    } else if (message instanceof ReplicaMessage.TerminalAt(String id, String replica)) {
      CompletableFuture<URI> search = searches.remove(id);
      if (search != null) {
        search.complete(URI.create(replica));
      }
    }
  }

  /** Serves a runner's call. */
  Multi<TerminalInput> serve(Multi<TerminalOutput> messages) {
    return Multi.createFrom().emitter(out -> new Call(out).open(messages));
  }

  private final class Call {
    private final MultiEmitter<? super TerminalInput> out;
    private final AtomicReference<@Nullable TerminalLink> link = new AtomicReference<>();

    Call(MultiEmitter<? super TerminalInput> out) {
      this.out = out;
    }

    void open(Multi<TerminalOutput> messages) {
      Cancellable upstream =
          messages
              .subscribe()
              .with(
                  this::on,
                  failure -> {
                    LOG.debugf("a terminal's call broke: %s", failure);
                    ended();
                    out.complete();
                  },
                  () -> {
                    ended();
                    out.complete();
                  });
      out.onTermination(
          () -> {
            upstream.cancel();
            ended();
          });
    }

    private void on(TerminalOutput message) {
      switch (message.getMessageCase()) {
        case OPENED -> opened(message.getOpened().getId(), message.getOpened().getStep());
        case REFUSED -> {
          CompletableFuture<Answer> request = requests.remove(message.getRefused().getId());
          if (request != null) {
            request.complete(new Answer.Refused(message.getRefused().getReason()));
          }
        }
        case DATA, CONSUMED, CLOSED -> {
          TerminalLink known = link.get();
          if (known != null) {
            known.arrived(message);
          }
        }
        case MESSAGE_NOT_SET -> LOG.warn("terminal: message of an unknown type, skipped");
      }
    }

    private void opened(String id, String step) {
      CompletableFuture<Answer> request = requests.remove(id);
      TerminalLink fresh = new TerminalLink(out);
      if (request == null || !link.compareAndSet(null, fresh)) {
        out.fail(Status.NOT_FOUND.withDescription("no terminal is requested").asRuntimeException());
        return;
      }
      if (!request.complete(new Answer.Opened(fresh, step))) {
        out.complete();
      }
    }

    private void ended() {
      TerminalLink known = link.get();
      if (known != null) {
        known.end();
      }
    }
  }
}
