/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class CarrierStallDetectorTest {
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final Duration END = Duration.ofSeconds(60);

  /** More virtual threads than carriers. */
  private static final int MANY = 4 * Runtime.getRuntime().availableProcessors();

  private static final CountDownLatch STARTED = new CountDownLatch(1);
  private static final CountDownLatch RELEASED = new CountDownLatch(1);

  /** A class whose initializer waits. */
  private static final class Waiting {
    static final long SINCE;

    static {
      STARTED.countDown();
      try {
        RELEASED.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      SINCE = System.nanoTime();
    }

    private Waiting() {}
  }

  /** Looks until three consecutive looks have this result. */
  private static void await(boolean stalled, CarrierStallDetector detector) {
    long end = System.nanoTime() + END.toNanos();
    int looks = 0;
    while (looks < 3) {
      assertThat(System.nanoTime()).as("within %s", END).isLessThan(end);
      LockSupport.parkNanos(LOOK.toNanos());
      looks = detector.isStalled() == stalled ? looks + 1 : 0;
    }
  }

  @Test
  void shouldDetectThatAllCarriersWait() throws Exception {
    CarrierStallDetector detector = new CarrierStallDetector();
    await(false, detector);
    Thread initializer =
        Thread.ofPlatform().daemon().start(() -> assertThat(Waiting.SINCE).isPositive());
    STARTED.await();
    List<Thread> threads = new ArrayList<>();
    try {
      for (int i = 0; i < MANY; i++) {
        threads.add(Thread.ofVirtual().start(() -> assertThat(Waiting.SINCE).isPositive()));
      }

      await(true, detector);
    } finally {
      RELEASED.countDown();
    }
    initializer.join();
    for (Thread thread : threads) {
      thread.join();
    }
    await(false, detector);
  }

  @Test
  void shouldNotTakeCarriersThatComputeForStalled() throws Exception {
    CarrierStallDetector detector = new CarrierStallDetector();
    CountDownLatch end = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    while (end.getCount() > 0) {
                      Thread.onSpinWait();
                    }
                  }));
    }
    try {
      int stalled = 0;
      for (int look = 0; look < 50; look++) {
        LockSupport.parkNanos(LOOK.toNanos());
        stalled += detector.isStalled() ? 1 : 0;
      }

      assertThat(stalled).isLessThan(VitalThreadWatcher.STALLED_LOOKS);
    } finally {
      end.countDown();
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
