/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.clock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends a process whose wall clock has gone back, so that it is started anew. Kafka's client and
 * Kafka Streams measure what they wait for by that clock: from when it goes back they wait until it
 * is where it was, be it for days, and nothing says so. The same after it was ahead for a moment. A
 * step back of up to five seconds, and one that is taken back within ten, ends nothing.
 *
 * <p>Not thread-safe; {@link #start} looks from one thread.
 */
public final class ClockGuard {
  /** {@code EX_TEMPFAIL} of {@code sysexits.h}. */
  public static final int EXIT_CODE = 75;

  private static final Duration TOLERATED = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final long toleratedMillis;
  private final long patienceNanos;

  // The wall clock less the monotonic one, in milliseconds.
  private long furthest = Long.MIN_VALUE;
  private @Nullable Long behindSince;

  ClockGuard(Duration tolerated, Duration patience) {
    toleratedMillis = tolerated.toMillis();
    patienceNanos = patience.toNanos();
  }

  /**
   * Looks every second, for as long as the process lives.
   *
   * @param log is told before the process ends with {@link #EXIT_CODE}
   */
  public static void start(Consumer<String> log) {
    ClockGuard guard = new ClockGuard(TOLERATED, PATIENCE);
    // It waits by the monotonic clock.
    ScheduledExecutorService timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("clock-guard").factory());
    timer.scheduleAtFixedRate(
        () ->
            guard
                .look(System.currentTimeMillis(), System.nanoTime())
                .ifPresent(back -> end(back, log)),
        0,
        EVERY.toMillis(),
        TimeUnit.MILLISECONDS);
  }

  private static void end(Duration back, Consumer<String> log) {
    log.accept(
        "the wall clock has gone back by %s: this process ends, to be started anew"
            .formatted(back));
    Runtime.getRuntime().halt(EXIT_CODE);
  }

  /**
   * One look.
   *
   * @return how far it has gone back, once that has lasted
   */
  Optional<Duration> look(long wallMillis, long nanos) {
    long ahead = wallMillis - TimeUnit.NANOSECONDS.toMillis(nanos);
    furthest = Math.max(furthest, ahead);
    long behind = furthest - ahead;
    if (behind <= toleratedMillis) {
      behindSince = null;
      return Optional.empty();
    }
    Long since = behindSince;
    if (since == null) {
      behindSince = nanos;
      return Optional.empty();
    }
    return nanos - since < patienceNanos
        ? Optional.empty()
        : Optional.of(Duration.ofMillis(behind));
  }
}
