/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.benchmarks.baton.TakeoverTimes;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailoverOptionsTest {
  @Test
  void shouldMeasureEverythingUnlessToldOtherwise() {
    FailoverOptions usual = FailoverOptions.parse(List.of());

    assertThat(usual.scenarios()).containsExactlyInAnyOrder(FailoverScenario.values());
    assertThat(usual.kills()).isEqualTo(50);
    assertThat(usual.hundred()).isEqualTo(100);
  }

  @Test
  void shouldReadAllOptions() {
    FailoverOptions options =
        FailoverOptions.parse(
            List.of(
                "--only",
                "warm,replica_lost",
                "--kills",
                "3",
                "--hangs",
                "4",
                "--losses",
                "5",
                "--handovers",
                "8",
                "--hundred",
                "6",
                "--seed",
                "7",
                "--env",
                "orchestrator:BATON_LAUNCHER_WARM_SIZE=3",
                "-o",
                "json"));

    assertThat(options.scenarios())
        .containsExactlyInAnyOrder(
            FailoverScenario.WARM, FailoverScenario.FLOOR, FailoverScenario.REPLICA_LOST);
    assertThat(
            List.of(
                options.kills(),
                options.hangs(),
                options.losses(),
                options.handovers(),
                options.hundred()))
        .containsExactly(3, 4, 5, 8, 6);
    assertThat(options.seed()).isEqualTo(7);
    assertThat(options.environment().get("orchestrator"))
        .containsEntry("BATON_LAUNCHER_WARM_SIZE", "3");
    assertThat(options.json()).isTrue();
  }

  @Test
  void shouldNameWhatIsWrong() {
    assertThatThrownBy(() -> FailoverOptions.parse(List.of("--only", "warm,tepid")))
        .hasMessageContaining("tepid")
        .hasMessageContaining("warm, cold, hang, replica_lost, planned, hundred, restate");
    assertThatThrownBy(() -> FailoverOptions.parse(List.of("--only", "floor")))
        .hasMessageContaining("--only floor");
    assertThatThrownBy(() -> FailoverOptions.parse(List.of("--kills", "0")))
        .hasMessageContaining("--kills 0");
    assertThatThrownBy(() -> FailoverOptions.parse(List.of("--against", "/tmp")))
        .hasMessageContaining("--against /tmp is neither a Baton checkout nor an installed Baton");
    assertThatThrownBy(() -> FailoverOptions.parse(List.of("--fast")))
        .hasMessageContaining("--fast");
  }

  @Test
  void shouldTellWhatWasMeasured() {
    FailoverResult result =
        new FailoverResult(
            Instant.EPOCH,
            "a machine",
            7,
            List.of(
                FailoverResult.Row.of(
                    FailoverScenario.WARM,
                    FailoverVersion.THIS,
                    List.of(
                        new FailoverSample(100_000, 10_000, 20_000, 30_000, 40_000),
                        new FailoverSample(200_000, 11_000, 20_000, -1, 40_000),
                        FailoverSample.whole(1_300_000_000L))),
                FailoverResult.Row.of(
                    FailoverScenario.WARM,
                    FailoverVersion.OTHER,
                    List.of(FailoverSample.whole(400_000_000L))),
                FailoverResult.Row.of(
                    FailoverScenario.HUNDRED,
                    FailoverVersion.THIS,
                    List.of(FailoverSample.whole(5_000_000_000L)))));

    assertThat(result.table())
        .contains("| 3 | 200 ms | 1,300 ms | 1,300 ms | 10 ms | 20 ms | 30 ms | 40 ms | 300 ms |")
        .contains("| 1 | 5,000 ms | 5,000 ms | 5,000 ms | – | – | – | – | all resume |")
        .contains("warm, ratio to the other version: median 0.50, p99 3.25.");
    var json = Json.tree(result.json().getBytes(StandardCharsets.UTF_8));
    assertThat(json.at("/warm/median_ms").asDouble()).isEqualTo(200);
    assertThat(json.at("/warm/p99_ms").asDouble()).isEqualTo(1_300);
    assertThat(json.at("/hundred/samples").asInt()).isEqualTo(1);
    assertThat(json.at("/warm/median_ratio").asDouble()).isEqualTo(0.5);
    assertThat(json.at("/warm/other/median_ms").asDouble()).isEqualTo(400);
    assertThat(json.at("/warm/phases_ms/attached").asDouble()).isEqualTo(30);
    assertThat(json.at("/hundred/phases_ms").isEmpty()).isTrue();
    assertThat(json.has("cold")).isFalse();
  }

  @Test
  void shouldCompareWarmWithItsFloorAndWithRestate() {
    FailoverResult result =
        new FailoverResult(
            Instant.EPOCH,
            "a machine",
            7,
            List.of(
                row(FailoverScenario.WARM, 120_000_000),
                row(FailoverScenario.FLOOR, 80_000_000),
                row(FailoverScenario.RESTATE, 300_000_000)));

    assertThat(result.table())
        .contains("warm, ratio of medians to the floor: 1.50 (goal: at most 1.5).")
        .contains("warm, ratio of medians to Restate: 0.40 (goal: at most 0.5).")
        .contains("| 1 | 80 ms | 80 ms | 80 ms | – | – | – | – |  |");
    var json = Json.tree(result.json().getBytes(StandardCharsets.UTF_8));
    assertThat(json.at("/warm/floor_ratio").asDouble()).isEqualTo(1.5);
    assertThat(json.at("/warm/restate_ratio").asDouble()).isEqualTo(0.4);
    assertThat(json.at("/restate/median_ms").asDouble()).isEqualTo(300);
  }

  @Test
  void shouldCountForTheFloorOnlyWhatTheNewRunnerDoes() {
    TakeoverTimes seen = times(1_000_000, 40_000_000, 60_000_000, 90_000_000);
    TakeoverTimes assignedLate = times(1_000_000, 70_000_000, 60_000_000, 90_000_000);

    assertThat(FailoverSample.afterAssignment(seen))
        .isEqualTo(new FailoverSample(50_000, -1, -1, 20_000, 30_000));
    assertThat(FailoverSample.afterAssignment(assignedLate).whole()).isEqualTo(-1);
  }

  private static TakeoverTimes times(long signal, long assignment, long runner, long step) {
    return new TakeoverTimes(signal, assignment, runner, step);
  }

  private static FailoverResult.Row row(FailoverScenario scenario, long nanos) {
    return FailoverResult.Row.of(
        scenario, FailoverVersion.THIS, List.of(FailoverSample.whole(nanos)));
  }
}
