/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Retires the process before its maximum lifetime: early enough to hand over its runs, and at a
 * random moment, so that runners started together do not end together.
 */
final class RetirementTimer implements AutoCloseable {
  /** Maximum lead time for the handover; a tenth of the lifetime if that is less. */
  private static final Duration LONGEST_LEAD = Duration.ofMinutes(10);

  private static final Duration SHORTEST_LEAD = Duration.ofSeconds(30);

  private final CountDownLatch closed = new CountDownLatch(1);

  private RetirementTimer() {}

  /**
   * @param retire called once, with the time left until the limit, on its own thread
   */
  static RetirementTimer start(Optional<Duration> limit, Consumer<Duration> retire) {
    RetirementTimer lifetime = new RetirementTimer();
    if (limit.isEmpty()) {
      return lifetime;
    }
    Duration lead = lead(limit.get());
    Duration latest = limit.get().minus(lead);
    Duration until = latest.minus(jitter(latest));
    Thread.ofVirtual().name("lifetime").start(() -> lifetime.live(until, lead, retire));
    return lifetime;
  }

  static Duration lead(Duration limit) {
    Duration tenth = limit.dividedBy(10);
    Duration most = tenth.compareTo(LONGEST_LEAD) > 0 ? LONGEST_LEAD : tenth;
    return most.compareTo(SHORTEST_LEAD) < 0 ? SHORTEST_LEAD : most;
  }

  /** Returns a random duration of at most a tenth of this one. */
  private static Duration jitter(Duration of) {
    return Duration.ofMillis(ThreadLocalRandom.current().nextLong(of.toMillis() / 10 + 1));
  }

  private void live(Duration until, Duration lead, Consumer<Duration> retire) {
    try {
      if (!closed.await(until.toMillis(), TimeUnit.MILLISECONDS)) {
        retire.accept(lead);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Cancels the retirement unless it has already begun. */
  @Override
  public void close() {
    closed.countDown();
  }
}
