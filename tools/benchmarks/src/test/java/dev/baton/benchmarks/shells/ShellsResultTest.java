/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.shells;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.benchmarks.measure.ResourceUsage;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ShellsResultTest {
  private static final ShellsResult RESULT =
      new ShellsResult(
          Instant.parse("2026-11-29T12:00:00Z"),
          "2 processors",
          200,
          10,
          4,
          true,
          false,
          List.of("setsid", "/bin/sh"),
          List.of(round(20, 10, 4), round(10, 20, 5), round(40, 30, 10)));

  private static ShellsRoundResult round(double wall, double cpu, double xargs) {
    return new ShellsRoundResult(
        wall,
        Map.of("runner", cpu - 1, "kafka", 1.0),
        new ResourceUsage(xargs, xargs / 2, 1_000),
        new ResourceUsage(2, 1, 1_000),
        0.1);
  }

  @Test
  void shouldShowMediansOfRoundsAndOfRatios() {
    assertThat(RESULT.table())
        .contains("| Baton | 20.00 s | 20.00 s | 10,000 µs | 100 |")
        .contains("| xargs, as a runner starts a step | 5.00 s | 2.50 s | 1,250 µs | 400 |")
        .contains("| xargs, the script by itself | 2.00 s | 1.00 s | 500 µs | 1,000 |")
        // Of 5, 2, 4 and of 5, 8, 6: each round compares neighbouring turns.
        .contains("| as a runner starts a step | 4.00 | 6.00 | at most 1.5 |")
        .contains("| the script by itself | 10.00 | 20.00 | |")
        .contains("| kafka | 1.00 s | 500 µs |")
        .contains("| runner | 29.00 s | 14,500 µs |")
        .contains("`setsid /bin/sh`");
  }

  @Test
  void shouldGiveTheFiguresAsOneLine() throws Exception {
    JsonNode json = Json.tree(RESULT.json().getBytes(StandardCharsets.UTF_8));

    assertThat(RESULT.json()).doesNotContain("\n");
    assertThat(json.at("/baton/steps_per_s").asDouble()).isEqualTo(100);
    assertThat(json.at("/xargs/wall_s").asDouble()).isEqualTo(5);
    assertThat(json.at("/wall_ratio").asDouble()).isEqualTo(4);
    assertThat(json.at("/cpu_ratio").asDouble()).isEqualTo(6);
    assertThat(json.at("/rounds/2/cpu_by_part/runner").asDouble()).isEqualTo(29);
    assertThat(json.at("/rounds/2/plain/wall_s").asDouble()).isEqualTo(2);
  }
}
