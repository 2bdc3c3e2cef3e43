/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SharedProgramLimiterTest {
  @Test
  void shouldGiveAPlaceAgainOnceItIsFree() throws Exception {
    SharedProgramLimiter limiter = new SharedProgramLimiter(2);
    SharedProgramLimiter.Place first = limiter.acquire(Duration.ZERO).orElseThrow();
    assertThat(limiter.acquire(Duration.ZERO)).isPresent();
    assertThat(limiter.acquire(Duration.ofMillis(1))).isEmpty();

    first.close();

    assertThat(limiter.acquire(Duration.ZERO)).isPresent();
    assertThat(limiter.acquire(Duration.ZERO)).isEmpty();
  }
}
