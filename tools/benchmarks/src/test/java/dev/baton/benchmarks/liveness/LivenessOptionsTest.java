/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.liveness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.benchmarks.measure.DurationDistribution;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LivenessOptionsTest {
  @Test
  void shouldReadAllOptions() {
    LivenessOptions options =
        LivenessOptions.parse(
            List.of(
                "--runs",
                "200,400",
                "--interval",
                "2",
                "--silenced",
                "100",
                "-o",
                "json",
                "--replicas",
                "1",
                "--outage",
                "40"));

    assertThat(options.runs()).containsExactly(200, 400);
    assertThat(options.interval()).isEqualTo(Duration.ofSeconds(2));
    assertThat(options.silenced()).isEqualTo(100);
    assertThat(options.replicas()).isEqualTo(1);
    assertThat(options.outage()).isEqualTo(Duration.ofSeconds(40));
    assertThat(options.json()).isTrue();
  }

  @Test
  void shouldNameWhatIsWrong() {
    assertThatThrownBy(() -> LivenessOptions.parse(List.of("--runs", "1,x")))
        .hasMessageContaining("--runs 1,x");
    assertThatThrownBy(() -> LivenessOptions.parse(List.of("--runs", "200", "--silenced", "101")))
        .hasMessageContaining("half of 200");
    assertThatThrownBy(() -> LivenessOptions.parse(List.of("--replicas", "3")))
        .hasMessageContaining("from 1 to 2");
  }

  @Test
  void shouldTellWhatWasMeasured() {
    LivenessResult result =
        new LivenessResult(
            30,
            List.of(
                new LivenessResult.Size(
                    10_000,
                    4.2,
                    250,
                    new LivenessResult.Silence(
                        2, 2, 0, List.of(DurationDistribution.of(100_000, 300_000))),
                    new LivenessResult.Silence(2, 0, 1, List.of()))),
            new LivenessResult.Outage(10_000, 300, 7));

    assertThat(result.table()).contains("10,000").contains("100 | 300 | 300").contains("- | - | -");
    assertThat(result.json())
        .contains("\"runs\":10000")
        .contains("\"false_alarms\":1")
        .contains("\"max\":300.0")
        .contains("{\"runs\":10000,\"seconds\":300,\"false_alarms\":7}");
    assertThat(result.table())
        .contains("300 s without an orchestrator, 10,000 runs alive: 7 false");
  }
}
