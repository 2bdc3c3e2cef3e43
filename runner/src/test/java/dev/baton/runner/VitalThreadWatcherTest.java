/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.runner.VitalThreadWatcher.StallCheck;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VitalThreadWatcherTest {
  private static final Duration LOOK = Duration.ofMillis(5);

  private final CountDownLatch end = new CountDownLatch(1);
  private final CompletableFuture<Boolean> died = new CompletableFuture<>();
  private final CompletableFuture<String> stalled = new CompletableFuture<>();

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

  private VitalThreadWatcher watch(StallCheck... checks) {
    return VitalThreadWatcher.start(
        "vital-test-1",
        () -> died.complete(vital.isAlive()),
        List.of(checks),
        stalled::complete,
        LOOK);
  }

  @Test
  void shouldReportThatAThreadHasDied() throws Exception {
    try (VitalThreadWatcher watch = watch()) {
      assertThat(died).isNotDone();

      end.countDown();

      assertThat(died.get(20, TimeUnit.SECONDS)).isFalse();
    }
  }

  @Test
  void shouldReportWhatStallsInConsecutiveLooks() throws Exception {
    AtomicInteger looks = new AtomicInteger();
    StallCheck continues =
        new StallCheck("continues", () -> looks.get() % VitalThreadWatcher.STALLED_LOOKS != 0);
    StallCheck stalls =
        new StallCheck(
            "stalls", () -> looks.incrementAndGet() > 3 * VitalThreadWatcher.STALLED_LOOKS);
    try (VitalThreadWatcher watch = watch(continues, stalls)) {
      assertThat(stalled.get(60, TimeUnit.SECONDS)).isEqualTo("stalls");

      assertThat(looks.get()).isEqualTo(4 * VitalThreadWatcher.STALLED_LOOKS);
      assertThat(died).isNotDone();
    }
  }
}
