/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.benchmarks.pair.StackPairResult.Side;
import dev.baton.benchmarks.steps.StepsRoundResult;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StackPairResultTest {
  /** The second round is twice as slow for both: the machine was busy. */
  private static final StackPairResult RESULT =
      new StackPairResult(
          Instant.parse("2026-01-01T00:00:00Z"),
          "2 processors",
          new Side("before", List.of(turn(0.5, 4_000, 60), turn(1.0, 2_000, 120))),
          new Side("now", List.of(turn(0.55, 3_200, 75), turn(1.1, 1_600, 150))));

  @Test
  void shouldCompareNeighbouringTurns() {
    assertThat(RESULT.cost(PairFigure.P50)).isBetween(1.099, 1.101);
    assertThat(RESULT.cost(PairFigure.STEPS)).isEqualTo(1.25);
    assertThat(RESULT.cost(PairFigure.MEMORY)).isEqualTo(1);
  }

  @Test
  void shouldNameTheLimitedFiguresThatCostTooMuch() {
    assertThat(RESULT.above(1.2)).containsExactly(PairFigure.STEPS, PairFigure.BURST_CPU);
    assertThat(RESULT.above(1.3)).isEmpty();
  }

  @Test
  void shouldShowBothSides() {
    assertThat(RESULT.table("Versions"))
        .startsWith("# Versions")
        .contains("| | before | now | cost |")
        .contains("| steps/s in a burst | 3,000 | 2,400 | 1.25 |")
        .contains("| kafka | 120 µs | 150 µs |");
    JsonNode json = Json.tree(RESULT.json().getBytes(StandardCharsets.UTF_8));
    assertThat(json.at("/costs/steps").asDouble()).isEqualTo(1.25);
    assertThat(json.at("/turns/now")).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--rounds 0 | --rounds 0 is not a number from 1 to 100",
        "--warmup x | --warmup x is not a number from 0 to 100",
        "--against . | unknown argument --against; see --help",
      })
  void shouldNameWhatIsWrong(String arguments, String message) {
    assertThatThrownBy(() -> StackPairOptions.ofSecurity(List.of(arguments.split(" "))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void shouldRequireABuiltVersion() {
    assertThatThrownBy(() -> StackPairOptions.ofVersions(List.of()))
        .hasMessageStartingWith("--against is missing");
    assertThatThrownBy(() -> StackPairOptions.ofVersions(List.of("--against", "/nonexistent")))
        .hasMessageStartingWith("--against /nonexistent is not built; ");
  }

  private static StepsRoundResult turn(double p50, double stepsPerS, double kafka) {
    return new StepsRoundResult(
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
        0.02);
  }
}
