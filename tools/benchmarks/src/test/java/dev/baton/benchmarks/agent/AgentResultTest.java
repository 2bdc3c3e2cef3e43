/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.benchmarks.measure.DurationDistribution;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class AgentResultTest {
  private static final AgentResult RESULT =
      new AgentResult(
          Instant.parse("2026-11-26T22:00:00Z"),
          "2 processors",
          20_000,
          List.of(
              new AgentResult.Speed(
                  Duration.ofMillis(500),
                  60,
                  DurationDistribution.of(500_000, 501_000),
                  DurationDistribution.of(503_000, 505_000),
                  DurationDistribution.of(504_000, 521_000))),
          new AgentResult.Resume(500, 900, 1_700, 300),
          new AgentResult.Stored(500, 1_000_000, 500_000, 1_800_000));

  @Test
  void shouldShowWhatBatonAdds() {
    assertThat(RESULT.table())
        .contains(
            "| 500 ms | 60 | 500.0 / 501.0 ms | 503.0 / 505.0 ms | 3.0 / 4.0 ms |"
                + " 504.0 / 521.0 ms | 4.0 / 20.0 ms |")
        .contains("next runner after 900 ms")
        .contains("so Baton adds 1,400 ms")
        .contains("1.20 times");
  }

  @Test
  void shouldGiveTheFiguresAsOneLine() throws Exception {
    JsonNode json = Json.tree(RESULT.json().getBytes(StandardCharsets.UTF_8));

    assertThat(RESULT.json()).doesNotContain("\n");
    assertThat(json.at("/speeds/0/cuts/p99_ms").asDouble()).isEqualTo(521);
    assertThat(json.at("/resume/adds_ms").asDouble()).isEqualTo(1_400);
    assertThat(json.at("/stored/ratio").asDouble()).isEqualTo(1.2);
  }
}
