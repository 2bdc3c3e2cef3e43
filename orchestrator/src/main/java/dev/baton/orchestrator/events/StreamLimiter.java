/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.events;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.identity.Caller;
import dev.baton.orchestrator.identity.CallerStreamRegistry;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import io.smallrye.mutiny.Multi;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Limits the streams of events that are open at the same time, for each caller and in all: each
 * holds a connection and what its reader has not read yet. Thread-safe.
 */
@ApplicationScoped
public class StreamLimiter {
  private final CallerStreamRegistry registry;
  private final int perCaller;
  private final int total;
  private final Map<String, Integer> byCaller = new HashMap<>();
  private int open;

  @Inject
  StreamLimiter(OrchestratorConfig config, CallerStreamRegistry registry) {
    this(config.streams().perCaller(), config.streams().total(), registry);
  }

  StreamLimiter(int perCaller, int total, CallerStreamRegistry registry) {
    this.registry = registry;
    this.perCaller = perCaller;
    this.total = total;
  }

  /**
   * Returns the stream, counted from now to its end; it must be subscribed to. Not counted from its
   * subscription, when the head of a response has been sent. It fails when the right of its caller
   * ends ({@link CallerStreamRegistry}).
   *
   * @throws ProblemException {@link ProblemKind#TOO_MANY_STREAMS} when the caller, or all callers,
   *     have as many as allowed
   */
  public <T> Multi<T> limited(Caller caller, Multi<T> stream) {
    acquire(caller.id());
    AtomicBoolean released = new AtomicBoolean();
    return registry
        .guarded(caller, stream)
        .onTermination()
        .invoke(
            () -> {
              if (released.compareAndSet(false, true)) {
                release(caller.id());
              }
            });
  }

  private synchronized void acquire(String caller) {
    int own = byCaller.getOrDefault(caller, 0);
    if (own >= perCaller || open >= total) {
      throw new ProblemException(
          ProblemKind.TOO_MANY_STREAMS,
          own >= perCaller
              ? "this caller has %d open streams, as many as allowed (baton.streams.per-caller)"
                  .formatted(own)
              : "%d streams are open, as many as allowed (baton.streams.total)".formatted(open));
    }
    byCaller.put(caller, own + 1);
    open++;
  }

  private synchronized void release(String caller) {
    byCaller.computeIfPresent(caller, (id, own) -> own == 1 ? null : own - 1);
    open--;
  }

  /** Returns the number of open streams. */
  synchronized int open() {
    return open;
  }
}
