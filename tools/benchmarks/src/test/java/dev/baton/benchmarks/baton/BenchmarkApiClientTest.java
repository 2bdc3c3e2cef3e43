/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BenchmarkApiClientTest {
  @Test
  void shouldAddUpACounterOverItsLabels() {
    String metrics =
        """
        # TYPE missing_total counter
        missing_total{partition="0"} 2.0
        missing_total{partition="1"} 3.0
        missing_total_other 7.0
        plain_total 4.0
        """;

    assertThat(BenchmarkApiClient.sum(metrics, "missing_total")).isEqualTo(5);
    assertThat(BenchmarkApiClient.sum(metrics, "plain_total")).isEqualTo(4);
    assertThat(BenchmarkApiClient.sum(metrics, "absent_total")).isZero();
  }
}
