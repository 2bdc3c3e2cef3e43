/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.concurrent.EventExecutor;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Detects a blocked event loop with a probe that each loop answers, from its own thread, twice a
 * second. A loop that has not answered for {@link #PATIENCE} is blocked: the guard logs its
 * thread's stack at once and then every 10 s, and counts it in {@code baton.event.loop.blocks}.
 * Thread-safe.
 */
@ApplicationScoped
public class EventLoopGuard {
  /** The time after which a loop that has not answered is blocked. */
  public static final Duration PATIENCE = Duration.ofSeconds(2);

  /** The same for a loop that has never answered: its thread starts with the first probe. */
  static final Duration FIRST_PATIENCE = Duration.ofSeconds(10);

  private static final Logger LOG = Logger.getLogger(EventLoopGuard.class);
  private static final long EVERY_MS = 500;
  private static final Duration AGAIN = Duration.ofSeconds(10);
  private static final int FRAMES = 30;

  private final List<Probe> probes = new ArrayList<>();
  private final String effect;
  private final LongSupplier nanoTime;
  private final Counter blocks;
  private volatile @Nullable ScheduledExecutorService watching;

  @Inject
  EventLoopGuard(Vertx vertx, MeterRegistry metrics, BlockedLoopEffect effect) {
    this(vertx, metrics, effect, System::nanoTime);
  }

  EventLoopGuard(
      Vertx vertx, MeterRegistry metrics, BlockedLoopEffect effect, LongSupplier nanoTime) {
    this.effect = effect.text();
    this.nanoTime = nanoTime;
    for (EventExecutor loop : vertx.nettyEventLoopGroup()) {
      probes.add(new Probe(loop));
    }
    blocks =
        Counter.builder("baton.event.loop.blocks")
            .description("times that an event loop was found blocked")
            .register(metrics);
    Gauge.builder("baton.event.loop.blocked", this::blocked)
        .description("event loops that are blocked now")
        .register(metrics);
  }

  void start(@Observes StartupEvent event) {
    ScheduledExecutorService timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("event-loop-guard").factory());
    timer.scheduleWithFixedDelay(this::look, EVERY_MS, EVERY_MS, TimeUnit.MILLISECONDS);
    watching = timer;
  }

  void stop(@Observes ShutdownEvent event) {
    ScheduledExecutorService timer = watching;
    if (timer != null) {
      timer.shutdownNow();
    }
  }

  /** The number of blocked loops. */
  public int blocked() {
    return (int) probes.stream().filter(probe -> probe.blocked).count();
  }

  /** Sends a probe to each loop that has answered the previous one, and checks the others. */
  void look() {
    long now = nanoTime.getAsLong();
    for (Probe probe : probes) {
      if (probe.answered) {
        if (probe.blocked) {
          probe.blocked = false;
          LOG.warnf(
              "event loop %s: answers again after %d ms", probe.name(), probe.waitedMillis(now));
        }
        probe.send(now);
      } else if (now - probe.sentAt > probe.patience().toNanos()) {
        judge(probe, now);
      }
    }
  }

  private void judge(Probe probe, long now) {
    if (!probe.blocked) {
      probe.blocked = true;
      blocks.increment();
    } else if (now - probe.loggedAt < AGAIN.toNanos()) {
      return;
    }
    probe.loggedAt = now;
    LOG.errorf(
        "event loop %s: blocked for %d ms; its requests wait, and %s: %s",
        probe.name(), probe.waitedMillis(now), effect, probe.stack());
  }

  /** One loop; only the guard's thread writes the fields, except for the answer. */
  private static final class Probe {
    private final EventExecutor loop;
    private volatile boolean answered = true;
    private volatile boolean blocked;
    private volatile @Nullable Thread thread;
    private long sentAt;
    private long loggedAt;

    Probe(EventExecutor loop) {
      this.loop = loop;
    }

    void send(long now) {
      if (loop.isShuttingDown()) {
        return;
      }
      sentAt = now;
      answered = false;
      loop.execute(
          () -> {
            thread = Thread.currentThread();
            answered = true;
          });
    }

    Duration patience() {
      return thread == null ? FIRST_PATIENCE : PATIENCE;
    }

    long waitedMillis(long now) {
      return TimeUnit.NANOSECONDS.toMillis(now - sentAt);
    }

    String name() {
      Thread known = thread;
      return known == null ? "that has never answered" : known.getName();
    }

    String stack() {
      Thread known = thread;
      return known == null
          ? "its thread is not known"
          : Stream.of(known.getStackTrace())
              .limit(FRAMES)
              .map(frame -> "\n  at " + frame)
              .collect(Collectors.joining());
    }
  }
}
