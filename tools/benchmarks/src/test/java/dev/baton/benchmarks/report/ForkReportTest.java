/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.benchmarks.fork.ForkOptions.Parent;
import dev.baton.benchmarks.fork.ForkResult;
import dev.baton.benchmarks.measure.DurationDistribution;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForkReportTest {
  private static final ForkResult RESULT =
      new ForkResult(
          Instant.EPOCH,
          "2 processors",
          3,
          List.of(
              new ForkResult.Row(
                  new Parent(10, 1),
                  DurationDistribution.of(20_000, 30_000, 40_000),
                  DurationDistribution.of(900_000, 1_000_000, 1_100_000),
                  4_200),
              new ForkResult.Row(
                  new Parent(20_000, 1),
                  DurationDistribution.of(45_000, 45_000, 45_000),
                  DurationDistribution.of(1_000_000, 1_000_000, 1_200_000),
                  4_200)));

  @Test
  void shouldCompareEachParentWithTheFirst() {
    assertThat(ForkMarkdownWriter.of(RESULT))
        .contains("| 10 | 1 MB | 30 ms | 40 ms | 1.00 | 1,000 ms | 1,100 ms | 4.2 kB |")
        .contains("| 20,000 | 1 MB | 45 ms | 45 ms | 1.50 | 1,000 ms | 1,200 ms | 4.2 kB |");
  }

  @Test
  void shouldHaveAllFiguresInOneLineOfJson() {
    String json = ForkJsonWriter.of(RESULT);

    assertThat(json).doesNotContain("\n");
    JsonNode second = Json.tree(json.getBytes(StandardCharsets.UTF_8)).path("parents").path(1);
    assertThat(second.path("steps").asInt()).isEqualTo(20_000);
    assertThat(second.path("answered_p50_ms").asDouble()).isEqualTo(45);
    assertThat(second.path("completed_max_ms").asDouble()).isEqualTo(1_200);
    assertThat(second.path("stored_bytes").asLong()).isEqualTo(4_200);
  }
}
