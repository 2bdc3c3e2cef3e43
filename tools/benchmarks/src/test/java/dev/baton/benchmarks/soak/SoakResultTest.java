/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.benchmarks.baton.BrokerFloorBenchmark.Floor;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SoakResultTest {
  private static final long MEBIBYTE = 1 << 20;

  private static SoakSample sample(
      long steps, double stepsPerS, double p50, double p99, Floor floor, long orchestratorMb) {
    Map<String, Long> memory =
        Map.of("kafka", 100 * MEBIBYTE, "orchestrator", orchestratorMb << 20);
    return new SoakSample(
        steps,
        steps / 1_000.0,
        stepsPerS,
        p50,
        p99,
        floor,
        memory,
        memory,
        Map.of("kafka", steps),
        Map.of("kafka", 300 * MEBIBYTE, "postgres database", steps * MEBIBYTE, "objects", 0L));
  }

  private static SoakResult result(SoakSample last) {
    return result(last, false);
  }

  private static SoakResult result(SoakSample last, boolean keepRuns) {
    return new SoakResult(
        Instant.parse("2026-11-29T12:00:00Z"),
        "2 processors",
        30,
        4 * MEBIBYTE,
        25,
        keepRuns,
        3,
        List.of(
            sample(10, 100, 100, 100, new Floor(1, 1, 1), 1),
            sample(20, 2_000, 1, 4, new Floor(0.5, 1, 20_000), 200),
            last));
  }

  @Test
  void shouldCompareLatencyAndThroughputWithTheFloor() {
    // Given a machine that has become four times slower, with Baton
    SoakResult slower = result(sample(24, 500, 4, 16, new Floor(2, 4, 5_000), 200));

    assertThat(slower.above()).isEmpty();
    assertThat(slower.growth().stream().limit(3).map(SoakGrowth::ratio)).containsOnly(1.0);
  }

  @Test
  void shouldNameWhatHasGrown() {
    // Given a slower step, a tail within the wider limit, fewer steps, and more memory
    SoakResult grown = result(sample(24, 1_500, 1.3, 7, new Floor(0.5, 1, 20_000), 300));

    assertThat(grown.above().stream().map(SoakGrowth::label))
        .containsExactly(
            "step p50 to the floor",
            "appends/s of the floor to steps/s",
            "RSS, orchestrator",
            "PSS, orchestrator");
    assertThat(grown.above().getFirst().describe())
        .isEqualTo("step p50 to the floor 1.30 times (2.0 to 2.6)");
    assertThat(grown.above().getLast().describe())
        .isEqualTo("PSS, orchestrator 1.50 times (200.0 to 300.0 MB)");
  }

  @Test
  void shouldIgnoreAGrowthByFewMegabytes() {
    // Given a database of 20 MiB that grows to 36 and to 37
    assertThat(result(sample(36, 2_000, 1, 4, new Floor(0.5, 1, 20_000), 200)).above()).isEmpty();
    assertThat(result(sample(37, 2_000, 1, 4, new Floor(0.5, 1, 20_000), 200)).above())
        .singleElement()
        .returns("disk, postgres database", SoakGrowth::label);
  }

  @Test
  void shouldNotLimitADatabaseThatKeepsAllRuns() {
    SoakResult kept = result(sample(90, 2_000, 1, 4, new Floor(0.5, 1, 20_000), 200), true);

    assertThat(kept.above()).isEmpty();
    assertThat(kept.table())
        .contains("ended runs are kept")
        .contains("| disk, postgres database (MB) | 20.00 | 90.00 | 4.50 | – |");
  }

  @Test
  void shouldShowSamplesAndGrowth() throws Exception {
    SoakResult result = result(sample(37, 2_000, 1, 4, new Floor(0.5, 1, 20_000), 200));

    assertThat(result.table())
        .contains("37 of 30 steps")
        .contains("runs that another runner has continued: 3.")
        .contains(
            "| 20 | 2,000 | 1.00 ms | 4.00 ms | 0.50 ms | 1.00 ms | 20,000 | 300 MB | 300 MB | 0 MB"
                + " | 300 MB | 20 MB | 0.0 MB |")
        .contains("| disk, postgres database (MB) | 20.00 | 37.00 | 1.85 | 1.25, **above** |")
        .contains("| disk, objects (MB) | 0.00 | 0.00 | – | 1.25 |")
        .contains("| step p99 to the floor | 4.00 | 4.00 | 1.00 | 2.00 |");
    JsonNode json = Json.tree(result.json().getBytes(StandardCharsets.UTF_8));
    assertThat(result.json()).doesNotContain("\n");
    assertThat(json.at("/samples/1/floor/p50_ms").asDouble()).isEqualTo(0.5);
    assertThat(json.path("taken_over").asInt()).isEqualTo(3);
    assertThat(json.at("/growth/0/ratio").asDouble()).isEqualTo(1);
    assertThat(json.path("growth").findValuesAsText("figure")).contains("heap, kafka");
  }

  @Test
  void shouldDistinguishALeakFromGarbage() {
    // Given memory between two collections, then memory of which ever more is never released
    assertThat(labels(List.of(900L, 200L, 350L, 250L, 330L, 340L, 460L, 210L, 350L))).isEmpty();
    assertThat(labels(List.of(900L, 200L, 350L, 250L, 330L, 340L, 360L, 260L, 330L)))
        .containsExactly("RSS, orchestrator", "PSS, orchestrator");
  }

  @Test
  void shouldCompareMediansOfLatencyAndTheHighestDisk() {
    // Given one slow sample among the late ones, and more disk in one of the early ones
    Floor floor = new Floor(1, 1, 1_000);
    List<SoakSample> samples =
        List.of(
            sample(10, 1_000, 9, 9, floor, 100),
            sample(20, 1_000, 1, 1, floor, 100),
            sample(60, 1_000, 1, 1, floor, 100),
            sample(30, 1_000, 1, 1, floor, 100),
            sample(40, 1_000, 1.2, 1, floor, 100),
            sample(50, 1_000, 8, 1, floor, 100),
            sample(70, 1_000, 1.1, 1, floor, 100));

    List<SoakGrowth> growth = SoakGrowth.of(samples, 25, false);

    assertThat(growth.getFirst().late()).isEqualTo(1.2);
    assertThat(growth.getLast())
        .returns("disk, postgres database", SoakGrowth::label)
        .returns(60.0, SoakGrowth::early)
        .returns(70.0, SoakGrowth::late);
  }

  /** Returns the figures that have grown when the orchestrator's memory is this, in MiB. */
  private static List<String> labels(List<Long> memory) {
    List<SoakSample> samples =
        memory.stream().map(mb -> sample(20, 1_000, 1, 1, new Floor(1, 1, 1_000), mb)).toList();
    return SoakGrowth.of(samples, 25, false).stream()
        .filter(SoakGrowth::isAbove)
        .map(SoakGrowth::label)
        .toList();
  }

  @Test
  void shouldNeedThreeSamples() {
    assertThatThrownBy(
            () ->
                new SoakResult(
                    Instant.EPOCH,
                    "",
                    1,
                    1,
                    25,
                    false,
                    0,
                    result(sample(24, 1, 1, 1, new Floor(1, 1, 1), 1)).samples().subList(0, 2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("3 samples");
  }
}
