/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.opencode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Orders the replies to permissions that OpenCode has requested. A refused permission makes
 * OpenCode refuse all others that wait at that moment: so refusals are sent after all approvals,
 * and not while another request of the same answer may be on its way. Thread-safe.
 */
final class OpenCodePermissionReplier {
  /** Calls of one answer request their permissions within this time. */
  private static final Duration TOGETHER = Duration.ofMillis(300);

  private final BiConsumer<String, @Nullable String> send;
  private final Executor delay;
  private final Set<String> undecided = new HashSet<>();
  private final List<Refusal> refusals = new ArrayList<>();
  private CompletableFuture<Void> sent = CompletableFuture.completedFuture(null);
  private int newest;

  private record Refusal(String request, String message) {}

  /**
   * @param send sends the reply to a request: the message of a refusal, or null for an approval;
   *     called by one thread at a time
   */
  OpenCodePermissionReplier(BiConsumer<String, @Nullable String> send) {
    this.send = send;
    this.delay = CompletableFuture.delayedExecutor(TOGETHER.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Registers a request, before its decision. */
  synchronized void requested(String request) {
    undecided.add(request);
    newest++;
  }

  /**
   * Replies to a request, at once or as soon as a refusal harms no other.
   *
   * @param refusal the message for the model; null to allow the call
   */
  synchronized void decided(String request, @Nullable String refusal) {
    if (!undecided.remove(request)) {
      return;
    }
    if (refusal == null) {
      enqueue(request, null);
    } else {
      refusals.add(new Refusal(request, refusal));
    }
    settle();
  }

  private void settle() {
    if (undecided.isEmpty() && !refusals.isEmpty()) {
      int seen = newest;
      delay.execute(() -> refuse(seen));
    }
  }

  private synchronized void refuse(int seen) {
    if (!undecided.isEmpty()) {
      return; // Its decision continues.
    }
    if (seen != newest) {
      settle();
      return;
    }
    refusals.forEach(refusal -> enqueue(refusal.request(), refusal.message()));
    refusals.clear();
  }

  private void enqueue(String request, @Nullable String refusal) {
    sent =
        sent.thenRunAsync(
            () -> send.accept(request, refusal),
            task -> Thread.ofVirtual().name("opencode-reply").start(task));
  }
}
