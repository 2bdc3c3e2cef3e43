/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DurationDistributionTest {

  @Test
  void shouldTakeTheNearestRank() {
    DurationDistribution hundred =
        DurationDistribution.of(LongStream.rangeClosed(1, 100).map(n -> n * 1000).toArray());

    assertThat(hundred.millis(50)).isEqualTo(50);
    assertThat(hundred.millis(99)).isEqualTo(99);
    assertThat(hundred.millis(100)).isEqualTo(100);
    assertThat(hundred.meanMillis()).isEqualTo(50.5);
  }

  @Test
  void shouldSortAndPool() {
    DurationDistribution pooled =
        DurationDistribution.pooled(
            List.of(DurationDistribution.of(9_000, 1_000), DurationDistribution.of(5_000)));

    assertThat(pooled.count()).isEqualTo(3);
    assertThat(pooled.millis(50)).isEqualTo(5);
  }

  @Test
  void shouldRefuseNothingAndImpossiblePercentiles() {
    assertThatThrownBy(DurationDistribution::of).hasMessage("no durations");
    assertThatThrownBy(() -> DurationDistribution.of(1).millis(0)).hasMessageContaining("(0, 100]");
    assertThatThrownBy(() -> DurationDistribution.of(1).millis(Double.NaN))
        .hasMessageContaining("NaN");
  }

  @Test
  void shouldTakeTheMiddle() {
    assertThat(MedianCalculator.of(List.of(3.0, 1.0, 2.0))).isEqualTo(2);
    assertThat(MedianCalculator.of(List.of(4.0, 1.0))).isEqualTo(2.5);
  }

  @Test
  void shouldReadThisProcess() {
    long self = ProcessHandle.current().pid();

    ProcessFootprint footprint = ProcfsUsageReader.of(java.util.Map.of(self, "test"));

    assertThat(footprint.rssMegabytes()).isBetween(20.0, 4_000.0);
    assertThat(footprint.pssMegabytes()).isPositive().isLessThanOrEqualTo(footprint.rssMegabytes());
    assertThat(footprint.cpuMicros())
        .hasEntrySatisfying("test", cpu -> assertThat(cpu).isPositive());
  }

  @Test
  void shouldKnowHowBusyTheMachineWasElsewhere() throws Exception {
    MachineCpuSample start = new MachineCpuSample(0, 1_000_000L, 100_000);
    int processors = Runtime.getRuntime().availableProcessors();
    MachineCpuSample end =
        new MachineCpuSample(
            1_000_000_000, 1_000_000L + processors * 600_000L, 100_000 + processors * 100_000L);

    assertThat(end.elsewhere(start, processors * 300_000L).orElseThrow()).isBetween(0.199, 0.201);
    assertThat(MachineCpuSample.now().elsewhere(MachineCpuSample.now(), 0).orElse(0))
        .isBetween(0.0, 1.0);
  }
}
