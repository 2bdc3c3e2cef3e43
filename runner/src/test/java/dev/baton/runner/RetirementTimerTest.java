/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetirementTimerTest {
  @ParameterizedTest
  @CsvSource({"PT24H, PT10M", "PT1H, PT6M", "PT1M, PT30S"})
  void shouldLeaveTimeForTheHandover(Duration limit, Duration lead) {
    assertThat(RetirementTimer.lead(limit)).isEqualTo(lead);
  }

  @Test
  void shouldRetireOnceItsTimeHasComeAndSayWhatIsLeft() throws Exception {
    CompletableFuture<Duration> retired = new CompletableFuture<>();

    try (RetirementTimer lifetime =
        RetirementTimer.start(Optional.of(Duration.ofSeconds(31)), retired::complete)) {
      assertThat(retired.get(30, TimeUnit.SECONDS)).isEqualTo(Duration.ofSeconds(30));
    }
  }
}
