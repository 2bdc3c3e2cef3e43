/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PeriodicTaskTest {
  private static final int ATTEMPTS = 50;
  private static final Duration NEVER = Duration.ofHours(1);
  private static final Duration SOON = Duration.ofMillis(20);

  private final Semaphore rounds = new Semaphore(0);

  @Test
  void shouldRepeatRoundsAlsoAfterFailures() throws Exception {
    AtomicInteger count = new AtomicInteger();
    PeriodicTask.Round round =
        () -> {
          rounds.release();
          if (count.incrementAndGet() <= 2) {
            throw new IllegalStateException("planned");
          }
        };

    PeriodicTask quiet = new PeriodicTask("test", SOON, "test: failed, retrying", round);
    quiet.start();
    try (quiet;
        PeriodicTask loud = PeriodicTask.start("test", SOON, round)) {
      assertThat(rounds.tryAcquire(6, 30, TimeUnit.SECONDS)).isTrue();
      assertThat(loud.isStopping()).isFalse();
    }
    assertThat(quiet.isStopping()).isTrue();
  }

  @Test
  void shouldStartARoundWhenWoken() throws Exception {
    try (PeriodicTask task = PeriodicTask.start("test", NEVER, rounds::release)) {
      task.wake();
      assertThat(rounds.tryAcquire(30, TimeUnit.SECONDS)).isTrue();

      task.wakeIn(SOON);
      assertThat(rounds.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void shouldKeepAWakeUpFromBeforeTheStart() throws Exception {
    PeriodicTask task = new PeriodicTask("test", NEVER, "test: failed", rounds::release);
    task.wake();
    task.start();
    try (task) {
      assertThat(rounds.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void shouldStartARoundRightAfterOneDuringWhichItWasWoken() throws Exception {
    CountDownLatch woken = new CountDownLatch(1);
    PeriodicTask.Round round =
        () -> {
          rounds.release();
          woken.await();
        };
    try (PeriodicTask task = PeriodicTask.start("test", NEVER, round)) {
      task.wake();
      assertThat(rounds.tryAcquire(30, TimeUnit.SECONDS)).isTrue();

      task.wake();
      woken.countDown();

      assertThat(rounds.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void shouldBoundThePostponementOfARound() throws Exception {
    Duration delay = Duration.ofMillis(100);
    Duration postponed = postpone(delay);
    // A round rightly starts where the test itself was suspended for longer than the delay.
    for (int i = 0; i < ATTEMPTS && postponed.isZero(); i++) {
      postponed = postpone(delay);
    }

    assertThat(postponed).isGreaterThan(delay.multipliedBy(14));
  }

  /**
   * Postpones a round all the time until it starts; returns how long that was, or zero if two calls
   * were further apart than the delay.
   */
  private Duration postpone(Duration delay) throws InterruptedException {
    rounds.drainPermits();
    long start = System.nanoTime();
    long last = start;
    boolean suspended = false;
    try (PeriodicTask task = PeriodicTask.start("test", NEVER, rounds::release)) {
      do {
        long before = last;
        task.wakeIn(delay);
        last = System.nanoTime();
        suspended |= last - before >= delay.toNanos();
      } while (!rounds.tryAcquire(1, TimeUnit.MILLISECONDS));
      suspended |= System.nanoTime() - last >= delay.toNanos();
    }
    return suspended ? Duration.ZERO : Duration.ofNanos(last - start);
  }

  @Test
  void shouldInterruptTheRoundAndWaitForItsEndWhenClosed() throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    PeriodicTask.Round round =
        () -> {
          rounds.release();
          try {
            new CountDownLatch(1).await();
          } finally {
            ended.set(true);
          }
        };
    PeriodicTask task = PeriodicTask.start("test", SOON, round);
    assertThat(rounds.tryAcquire(30, TimeUnit.SECONDS)).isTrue();

    task.close();

    assertThat(ended).isTrue();
    assertThat(rounds.tryAcquire(100, TimeUnit.MILLISECONDS)).isFalse();
  }
}
