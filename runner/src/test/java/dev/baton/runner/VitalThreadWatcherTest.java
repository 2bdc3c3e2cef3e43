/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class VitalThreadWatcherTest {
  @Test
  void shouldTellWhenAThreadHasDied() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    Thread vital =
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
    CompletableFuture<Boolean> died = new CompletableFuture<>();
    try (VitalThreadWatcher watch =
        VitalThreadWatcher.start("vital-test-1", () -> died.complete(vital.isAlive()))) {
      assertThat(died).isNotDone();

      end.countDown();

      assertThat(died.get(20, TimeUnit.SECONDS)).isFalse();
    }
  }
}
