/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.benchmarks.baton.BrokerFloorBenchmark.Floor;
import dev.baton.benchmarks.steps.StepsResult;
import dev.baton.benchmarks.steps.StepsResult.SystemResult;
import dev.baton.benchmarks.steps.StepsRoundResult;
import dev.baton.benchmarks.steps.StepsSummary;
import dev.baton.benchmarks.steps.StepsWorkload;
import dev.baton.protocol.json.Json;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StepsReportTest {
  private static final Floor FLOOR = new Floor(0.29, 0.6, 23_000);

  @Test
  void shouldPrintExactlyTheAgreedKeys() throws Exception {
    JsonNode json =
        Json.mapper().readTree(StepsJsonWriter.brief(result(FLOOR, measured(3_400, 500))));

    assertThat(json.fieldNames()).toIterable().containsExactly("baton", "restate");
    assertThat(json.get("baton"))
        .isEqualTo(
            Json.mapper()
                .readTree(
                    """
                    {"p50_ms":0.5,"p99_ms":2.5,"steps_per_s":4200,
                     "run_p50_ms":300.0,"run_p99_ms":450.0,"rss_mb":1300}\
                    """));
    assertThat(json.get("restate").get("steps_per_s").asInt()).isEqualTo(3_400);
  }

  @Test
  void shouldHaveNullForWhatIsAbsent() throws Exception {
    StepsResult result = result(null, null);

    assertThat(Json.mapper().readTree(StepsJsonWriter.brief(result)).get("restate").isNull())
        .isTrue();
    assertThat(Json.mapper().readTree(StepsJsonWriter.whole(result)).get("restate").isNull())
        .isTrue();
    assertThat(StepsMarkdownWriter.of(result)).doesNotContain("Restate").doesNotContain("Floor");
    assertThat(StepsSvgWriter.of(result)).doesNotContain("Restate");
  }

  @Test
  void shouldShowEverySystemInTheTable() {
    String table = StepsMarkdownWriter.of(result(FLOOR, measured(3_400, 500)));

    assertThat(table)
        .contains(
            "| Baton | 0.50 ms | 2.50 ms | 4,200 | 300 ms | 450 ms | 1300 MB | 1.01 | 0.32 | ≤ 7% |")
        .contains("| Restate | 0.50 ms | 2.50 ms | 3,400 |")
        .contains("appends | 0.29 ms | 0.60 ms | 23,000 |")
        .contains("| runner | 200 MB | 150 µs | 90 µs |");
  }

  @Test
  void shouldDrawWellFormedSvg() throws Exception {
    String svg = StepsSvgWriter.of(result(FLOOR, measured(3_400, 500)));

    var document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    // Floor, Baton and Restate twice; both; both twice; the background.
    assertThat(document.getElementsByTagName("rect").getLength()).isEqualTo(6 + 2 + 4 + 1);
  }

  private static StepsResult result(@Nullable Floor floor, @Nullable SystemResult restate) {
    return new StepsResult(
        Instant.parse("2026-01-01T00:00:00Z"),
        "2 processors <made up> & more",
        StepsWorkload.STANDARD,
        false,
        floor,
        measured(4_200, 1_300),
        restate);
  }

  private static SystemResult measured(double stepsPerS, double rss) {
    StepsRoundResult turn =
        new StepsRoundResult(
            0.5,
            2.5,
            0.6,
            130,
            stepsPerS,
            300,
            450,
            rss,
            rss - 100,
            Map.of("runner", 200.0),
            1.01,
            0.32,
            Map.of("runner", 150.0),
            Map.of("runner", 90.0),
            0.07);
    return new SystemResult(new StepsSummary(0.5, 2.5, stepsPerS, 300, 450, rss), List.of(turn));
  }
}
