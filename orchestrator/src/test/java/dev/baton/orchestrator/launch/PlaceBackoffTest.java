/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.retry.Backoff;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PlaceBackoffTest {
  private static final Duration FIRST = Duration.ofMillis(500);
  private static final LaunchRefusal FULL = new LaunchRefusal(LaunchRefusal.NO_ROOM, "full");
  private static final LaunchRefusal STILL = new LaunchRefusal(LaunchRefusal.NO_ROOM, "still full");

  private final AtomicLong now = new AtomicLong();
  private final PlaceBackoff backoff =
      new PlaceBackoff(
          FULL, Backoff.seeded(FIRST, Duration.ofSeconds(30), new java.util.Random(1)), now::get);

  private void elapse() {
    now.addAndGet(backoff.left().toNanos());
  }

  @Test
  void shouldTryOneStartAfterADelay() {
    assertThat(backoff.free()).isZero();
    assertThat(backoff.left()).isBetween(FIRST.dividedBy(2), FIRST);

    elapse();

    assertThat(backoff.free()).isOne();
    backoff.tried();
    assertThat(backoff.free()).isZero();
  }

  @Test
  void shouldDoubleTheDelayWithEachRefusedTry() {
    Duration before = backoff.left();
    for (int i = 0; i < 5; i++) {
      elapse();
      backoff.tried();
      backoff.ended();
      backoff.refused(STILL, true);
    }

    assertThat(backoff.left()).isGreaterThan(before.multipliedBy(8));
    assertThat(backoff.refusal()).isEqualTo(STILL);
  }

  @Test
  void shouldNotDelayForStartsThatBeganBeforeTheRefusal() {
    Duration before = backoff.left();

    for (int i = 0; i < 50; i++) {
      backoff.refused(STILL, false);
    }

    assertThat(backoff.left()).isEqualTo(before);
  }

  @Test
  void shouldAllowTwiceAsManyStartsAfterEachSuccess() {
    elapse();
    for (int allowed = 1; !backoff.isOver(); allowed *= 2) {
      assertThat(backoff.free()).isEqualTo(allowed);
      backoff.tried();
      backoff.ended();
      backoff.succeeded();
    }
  }

  @Test
  void shouldTryAtOnceWhenARunnerHasEnded() {
    backoff.roomFreed();

    assertThat(backoff.free()).isOne();
  }

  @Test
  void shouldAllowAnotherTryAfterOneWithoutResult() {
    elapse();
    backoff.tried();
    backoff.ended();

    assertThat(backoff.free()).isOne();
  }
}
