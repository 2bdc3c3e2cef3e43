/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShutdownBudgetTest {
  private static ShutdownBudget of(long seconds) {
    return ShutdownBudget.of(Duration.ofSeconds(seconds));
  }

  @Test
  void shouldHandOverWithinTheUsualGraceOfAContainer() {
    ShutdownBudget usual = of(30);

    assertThat(usual)
        .isEqualTo(
            new ShutdownBudget(
                Duration.ofSeconds(8),
                Duration.ofSeconds(5),
                Duration.ofSeconds(7),
                Duration.ofSeconds(2),
                Duration.ofSeconds(1)));
    assertThat(usual.total()).isEqualTo(Duration.ofSeconds(27));
    assertThat(of(3_600)).isEqualTo(usual);
  }

  @Test
  void shouldCutAtOnceWithinTheGraceOfASpotNode() {
    ShutdownBudget spot = of(15);

    assertThat(spot.handOver()).isZero();
    assertThat(spot.steps()).isZero();
    assertThat(spot.stop()).isGreaterThan(Duration.ofMillis(6_500));
  }

  @Test
  void shouldShortenTheHandoverFirst() {
    ShutdownBudget shorter = of(20);

    assertThat(shorter.handOver()).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(3));
    assertThat(shorter.steps()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2));
    assertThat(shorter.stop()).isEqualTo(of(30).stop());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 5, 10, 14, 15, 16, 20, 25, 29, 30})
  void shouldLeaveATenthOfTheGrace(long seconds) {
    assertThat(of(seconds).total())
        .isBetween(Duration.ofMillis(seconds * 900 - 10), Duration.ofMillis(seconds * 900));
  }
}
