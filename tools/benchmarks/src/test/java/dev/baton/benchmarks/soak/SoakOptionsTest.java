/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SoakOptionsTest {
  @Test
  void shouldHaveDefaults() {
    assertThat(SoakOptions.parse(List.of()))
        .isEqualTo(new SoakOptions(10_000_000, 50, 25, null, false, false, Map.of(), null));
  }

  @Test
  void shouldReadAllOptions() {
    assertThat(
            SoakOptions.parse(
                List.of(
                    "--steps 200000 --warmup 0 --limit 50 --minutes 3 --keep-runs --env kafka:A=1 -o json"
                        .split(" "))))
        .isEqualTo(
            new SoakOptions(
                200_000,
                0,
                50,
                Duration.ofMinutes(3),
                true,
                true,
                Map.of("kafka", Map.of("A", "1")),
                null));
  }

  @ParameterizedTest
  @CsvSource({
    "--steps 19999, --steps 19999 is not a number from 20000 to 1000000000",
    "--limit 0, --limit 0 is not a number from 1 to 1000",
    "--minutes 1h, --minutes 1h is not a number from 1 to 100000",
    "--fast, unknown argument --fast; see --help",
  })
  void shouldNameWhatIsWrong(String arguments, String message) {
    assertThatThrownBy(() -> SoakOptions.parse(List.of(arguments.split(" "))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
