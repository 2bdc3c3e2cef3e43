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
 * Exits a process whose wall clock was set back, so that its supervisor restarts it. The Kafka
 * client and Kafka Streams measure timeouts by the wall clock: after it was set back, even to
 * correct an earlier jump ahead, they wait, without any message, until it reaches its earlier
 * value, possibly for days. A step back of up to five seconds, or one that is corrected within ten,
 * is tolerated.
 *
 * <p>Not thread-safe; {@link #start} checks from one thread.
 */
public final class ClockGuard {
  /** {@code EX_TEMPFAIL} of {@code sysexits.h}. */
  public static final int EXIT_CODE = 75;

  private static final Duration TOLERATED = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final long toleratedMillis;
  private final long patienceNanos;

  // The largest difference between the wall clock and the monotonic clock so far, in milliseconds.
  private long furthest = Long.MIN_VALUE;
  private @Nullable Long behindSince;

  ClockGuard(Duration tolerated, Duration patience) {
    toleratedMillis = tolerated.toMillis();
    patienceNanos = patience.toNanos();
  }

  /**
   * Starts a daemon thread that checks every second while the process lives.
   *
   * @param log receives a message before the process exits with {@link #EXIT_CODE}
   */
  public static void start(Consumer<String> log) {
    ClockGuard guard = new ClockGuard(TOLERATED, PATIENCE);
    // Its schedule uses the monotonic clock.
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
        "wall clock was set back by %s: exiting, to be restarted by the supervisor"
            .formatted(back));
    Runtime.getRuntime().halt(EXIT_CODE);
  }

  /**
   * Checks once.
   *
   * @return how far the clock is back, once this has lasted longer than the tolerated time
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
