/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.benchmarks.steps.StepsResult.SystemResult;
import dev.baton.benchmarks.steps.StepsRoundResult;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SecurityResultTest {
  private static final SecurityResult RESULT =
      new SecurityResult(
          Instant.parse("2026-01-01T00:00:00Z"),
          "2 processors",
          measured(0.5, 4_000, 60),
          measured(0.55, 3_600, 75));

  @Test
  void shouldCompareTheSecuredStackWithTheOther() {
    assertThat(RESULT.table())
        .contains("| without | 0.50 ms |")
        .contains("| ratio | 1.10 | 1.00 | 0.90 |")
        .contains("| kafka | 60 µs | 75 µs |");
    JsonNode json = Json.tree(RESULT.json().getBytes(StandardCharsets.UTF_8));
    assertThat(json.path("steps_ratio").asDouble()).isEqualTo(0.9);
    assertThat(json.at("/with/median/steps_per_s").asDouble()).isEqualTo(3_600);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--rounds 0 | --rounds 0 is not a number from 1 to 100",
        "--warmup x | --warmup x is not a number from 0 to 100",
        "--tls | unknown argument --tls; see --help",
      })
  void shouldNameWhatIsWrong(String arguments, String message) {
    assertThatThrownBy(() -> SecurityOptions.parse(List.of(arguments.split(" "))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  private static SystemResult measured(double p50, double stepsPerS, double kafka) {
    return SystemResult.of(
        List.of(
            new StepsRoundResult(
                p50,
                2,
                p50,
                100,
                stepsPerS,
                300,
                450,
                1_000,
                900,
                Map.of("kafka", 200.0),
                1.0,
                0.3,
                Map.of("kafka", 100.0),
                Map.of("kafka", kafka),
                0.02)));
  }
}
