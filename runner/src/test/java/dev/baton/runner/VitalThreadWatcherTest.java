/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VitalThreadWatcherTest {
  private static final Duration LOOK = Duration.ofMillis(5);

  /** More than a watcher needs to report work that does not end. */
  private static final int MANY_LOOKS = 200;

  private final CountDownLatch end = new CountDownLatch(1);
  private final CompletableFuture<Boolean> died = new CompletableFuture<>();
  private final CompletableFuture<Void> stalled = new CompletableFuture<>();

  @SuppressWarnings("NullAway.Init")
  private Thread vital;

  @BeforeEach
  void start() {
    vital =
        Thread.ofPlatform()
            .daemon()
            .name("vital-test-1")
            .start(
                () -> {
                  try {
                    end.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
  }

  @AfterEach
  void end() {
    end.countDown();
  }

  private VitalThreadWatcher watch(LongSupplier workChanges) {
    return VitalThreadWatcher.start(
        "vital-test-1",
        () -> died.complete(vital.isAlive()),
        workChanges,
        () -> stalled.complete(null),
        LOOK);
  }

  @Test
  void shouldTellWhenAThreadHasDied() throws Exception {
    try (VitalThreadWatcher watch = watch(() -> 0)) {
      assertThat(died).isNotDone();

      end.countDown();

      assertThat(died.get(20, TimeUnit.SECONDS)).isFalse();
    }
  }

  @Test
  void shouldTellWhenWorkDoesNotEnd() throws Exception {
    AtomicLong changes = new AtomicLong();
    AtomicInteger looks = new AtomicInteger();
    LongSupplier work =
        () -> {
          // Work that ends, then none for long, then work that does not end.
          int look = looks.incrementAndGet();
          return look < MANY_LOOKS
              ? changes.incrementAndGet()
              : look < 2 * MANY_LOOKS ? 1_000 : 1_001;
        };
    try (VitalThreadWatcher watch = watch(work)) {
      stalled.get(60, TimeUnit.SECONDS);

      assertThat(looks.get()).isGreaterThan(2 * MANY_LOOKS + 20);
      assertThat(died).isNotDone();
    }
  }
}
