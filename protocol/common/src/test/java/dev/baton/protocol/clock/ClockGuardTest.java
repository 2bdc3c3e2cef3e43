/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.clock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClockGuardTest {
  private static final long START = 1_800_000_000_000L;

  private final ClockGuard guard = new ClockGuard(Duration.ofSeconds(5), Duration.ofSeconds(10));

  /**
   * Checks {@code second} seconds after the start, with a wall clock that is off by {@code wrong}
   * seconds.
   */
  private Optional<Duration> at(long second, long wrong) {
    return guard.look(
        START + TimeUnit.SECONDS.toMillis(second + wrong), TimeUnit.SECONDS.toNanos(second));
  }

  @Test
  void shouldTellOfAClockThatHasGoneBackOnceThatHasLasted() {
    assertThat(at(0, 0)).isEmpty();
    assertThat(at(1, -7_200)).isEmpty();
    assertThat(at(10, -7_200)).isEmpty();
    assertThat(at(11, -7_200)).contains(Duration.ofHours(2));
  }

  @Test
  void shouldTellOfAClockThatWasAheadForAMoment() {
    assertThat(at(0, 0)).isEmpty();
    assertThat(at(1, 3_600)).isEmpty();
    assertThat(at(2, 0)).isEmpty();
    assertThat(at(12, 0)).contains(Duration.ofHours(1));
  }

  @Test
  void shouldPassOverSmallStepsForwardOnesAndThoseThatAreTakenBack() {
    for (int second = 0; second < 100; second++) {
      assertThat(at(second, second % 5)).isEmpty();
    }
    assertThat(at(100, -60)).isEmpty();
    assertThat(at(105, 4)).isEmpty();
    assertThat(at(106, -60)).isEmpty();
    assertThat(at(115, -60)).as("nine seconds").isEmpty();
    assertThat(at(116, 86_400)).isEmpty();
    assertThat(at(1_000, 86_400)).isEmpty();
  }
}
