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
import dev.baton.protocol.grpc.Checkpoint;
import dev.baton.protocol.grpc.CheckpointFailed;
import dev.baton.protocol.grpc.GatewayMessage;
import dev.baton.protocol.json.TextShortener;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jboss.logging.Logger;

/**
 * Requests checkpoints from runners; other replicas forward the request to the runners attached to
 * them. The trace reports a created checkpoint; only a failure is returned here. Thread-safe.
 */
@ApplicationScoped
public class CheckpointRequestDispatcher {
  private static final Logger LOG = Logger.getLogger(CheckpointRequestDispatcher.class);

  /** A notification and its answer take milliseconds. */
  private static final Duration TAKEN_WITHIN = Duration.ofSeconds(2);

  private static final int MOST_REASON = 1_000;

  private final RunnerRegistry attachments;
  private final ReplicaBus bus;
  private final ReplicaSession session;
  private final ConcurrentMap<String, Request> requests = new ConcurrentHashMap<>();

  CheckpointRequestDispatcher(RunnerRegistry attachments, ReplicaBus bus, ReplicaSession session) {
    this.attachments = attachments;
    this.bus = bus;
    this.session = session;
  }

  /** A pending request, until it is closed. */
  public final class Request {
    private final String id;
    private final CompletableFuture<String> failure = new CompletableFuture<>();
    private final CompletableFuture<Void> taken = new CompletableFuture<>();

    private Request(String id) {
      this.id = id;
    }

    /** Completes with the reason when the runner reports a failure; otherwise never. */
    public CompletionStage<String> failure() {
      return failure;
    }

    public void close() {
      requests.remove(id, this);
    }
  }

  /**
   * @param id of the checkpoint to be created
   * @return empty when no attached runner carries the run, here or at another replica
   */
  public Uni<Optional<Request>> send(String run, String trigger, String id) {
    Request request = new Request(id);
    requests.put(id, request);
    if (sendHere(run, trigger, id)) {
      return Uni.createFrom().item(Optional.of(request));
    }
    if (session.isAlone()) {
      request.close();
      return Uni.createFrom().item(Optional.empty());
    }
    return bus.tell(new ReplicaMessage.Checkpoint(run, trigger, id))
        .chain(() -> Uni.createFrom().completionStage(request.taken))
        .map(taken -> Optional.of(request))
        .ifNoItem()
        .after(TAKEN_WITHIN)
        .recoverWithItem(Optional::empty)
        .onItem()
        .invoke(
            sent -> {
              if (sent.isEmpty()) {
                request.close();
              }
            });
  }

  private boolean sendHere(String run, String trigger, String id) {
    Optional<RunnerConnection> holder = attachments.holder(run);
    holder.ifPresent(
        runner ->
            runner.send(
                GatewayMessage.newBuilder()
                    .setCheckpoint(
                        Checkpoint.newBuilder().setRun(run).setTrigger(trigger).setRequestId(id))
                    .build()));
    return holder.isPresent();
  }

  /** Handles a request or a result from another replica. */
  void on(@Observes ReplicaMessage message) {
    switch (message) {
      case ReplicaMessage.Checkpoint(String run, String trigger, String id) -> {
        if (sendHere(run, trigger, id)) {
          tell(new ReplicaMessage.CheckpointTaken(id));
        }
      }
      case ReplicaMessage.CheckpointTaken(String id) -> {
        Request request = requests.get(id);
        if (request != null) {
          request.taken.complete(null);
        }
      }
      case ReplicaMessage.CheckpointRefused(String id, String reason) -> failedHere(id, reason);
      case ReplicaMessage.Deliver _,
          ReplicaMessage.Pause _,
          ReplicaMessage.Cancel _,
          ReplicaMessage.Fence _,
          ReplicaMessage.TerminalWanted _,
          ReplicaMessage.TerminalAt _,
          ReplicaMessage.SlotWanted _,
          ReplicaMessage.Recheck _,
          ReplicaMessage.WhoHas _,
          ReplicaMessage.Has _,
          ReplicaMessage.StopIdle _,
          ReplicaMessage.RunnerPoolsChanged _ -> {}
    }
  }

  void failed(CheckpointFailed message) {
    String id = message.getRequestId();
    String reason = message.getReason();
    if (!failedHere(id, reason) && !session.isAlone()) {
      tell(new ReplicaMessage.CheckpointRefused(id, TextShortener.truncate(reason, MOST_REASON)));
    }
  }

  private boolean failedHere(String id, String reason) {
    Request request = requests.remove(id);
    return request != null && request.failure.complete(reason);
  }

  /** The requester waits with a timeout, and the trace reports a created checkpoint. */
  private void tell(ReplicaMessage message) {
    bus.tell(message)
        .subscribe()
        .with(
            told -> {},
            failure -> LOG.warnf("failed to notify other replicas of %s: %s", message, failure));
  }
}
