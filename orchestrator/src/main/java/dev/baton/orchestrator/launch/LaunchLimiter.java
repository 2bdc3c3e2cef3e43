/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.outbox.RunnerSlotsFreedEvent;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Limits how many runner processes may be starting at once on this host. Starting a JVM takes 1–2
 * CPU-seconds; without a limit, 100 concurrent starts would all exceed the attach timeout and be
 * retried. A caller that was refused is notified by {@link RunnerSlotsFreedEvent}. Thread-safe.
 */
@ApplicationScoped
class LaunchLimiter {
  private static final int PER_PROCESSOR = 2;
  private static final int LEAST = 4;

  private final Semaphore room;
  private final Event<RunnerSlotsFreedEvent> freed;
  private final AtomicBoolean refused = new AtomicBoolean();

  LaunchLimiter(
      OrchestratorConfig config, Event<RunnerSlotsFreedEvent> freed, MeterRegistry metrics) {
    int size =
        config
            .launcher()
            .starting()
            .orElse(Math.max(LEAST, PER_PROCESSOR * Runtime.getRuntime().availableProcessors()));
    this.room = new Semaphore(size);
    this.freed = freed;
    Gauge.builder("baton.launcher.starting", () -> size - room.availablePermits())
        .description("runner processes that were started and have not attached yet")
        .register(metrics);
  }

  /** Takes a permit for one start; empty when none is free. */
  Optional<Start> take() {
    if (room.tryAcquire()) {
      return Optional.of(new Start());
    }
    refused.set(true);
    // A start may have ended before it could see the refusal.
    return room.tryAcquire() ? Optional.of(new Start()) : Optional.empty();
  }

  /** Waits for a permit, at most this long. */
  Optional<Start> take(Duration within) throws InterruptedException {
    return room.tryAcquire(within.toMillis(), TimeUnit.MILLISECONDS)
        ? Optional.of(new Start())
        : Optional.empty();
  }

  /** A starting process, until it has attached, timed out, or exited. */
  final class Start {
    private final AtomicBoolean ended = new AtomicBoolean();

    private Start() {}

    /** Idempotent. */
    void end() {
      if (ended.compareAndSet(false, true)) {
        room.release();
        if (refused.getAndSet(false)) {
          freed.fire(new RunnerSlotsFreedEvent());
        }
      }
    }
  }
}
