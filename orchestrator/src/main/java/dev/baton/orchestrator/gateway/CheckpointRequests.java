/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.protocol.grpc.Checkpoint;
import dev.baton.protocol.grpc.CheckpointFailed;
import dev.baton.protocol.grpc.GatewayMessage;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Asks runners that are attached here for checkpoints. What was made is told by the trace; only a
 * failure comes back this way. Thread-safe.
 */
@ApplicationScoped
public class CheckpointRequests {
  private final Attachments attachments;
  private final ConcurrentMap<String, CompletableFuture<String>> failures =
      new ConcurrentHashMap<>();

  CheckpointRequests(Attachments attachments) {
    this.attachments = attachments;
  }

  /** One request, until it is closed. */
  public final class Request {
    private final String id;
    private final CompletableFuture<String> failure = new CompletableFuture<>();

    private Request(String id) {
      this.id = id;
    }

    /** Completes with the reason when the runner says that it could not; else never. */
    public CompletionStage<String> failure() {
      return failure;
    }

    public void close() {
      failures.remove(id, failure);
    }
  }

  /**
   * @param id the id that the checkpoint is to get
   * @return nothing when no runner that is attached here carries the run
   */
  public Optional<Request> send(String run, String trigger, String id) {
    return attachments
        .holder(run)
        .map(
            holder -> {
              Request request = new Request(id);
              failures.put(id, request.failure);
              holder.send(
                  GatewayMessage.newBuilder()
                      .setCheckpoint(
                          Checkpoint.newBuilder().setRun(run).setTrigger(trigger).setRequestId(id))
                      .build());
              return request;
            });
  }

  void failed(CheckpointFailed message) {
    CompletableFuture<String> failure = failures.remove(message.getRequestId());
    if (failure != null) {
      failure.complete(message.getReason());
    }
  }
}
