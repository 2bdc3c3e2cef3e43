/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SoakRetentionTest {
  private static final long MEBIBYTE = 1 << 20;

  @TempDir Path folder;

  @Test
  void shouldBoundTheLogByTheNumberOfSteps() {
    assertThat(SoakRetention.partitionBytes(20_000)).isEqualTo(4 * MEBIBYTE);
    assertThat(SoakRetention.partitionBytes(1_000_000)).isEqualTo(6_000_000);
    assertThat(SoakRetention.partitionBytes(1_000_000_000)).isEqualTo(16 * MEBIBYTE);
    assertThat(SoakRetention.broker(20_000))
        .contains("log.retention.bytes=4194304", "log.segment.bytes=1048576");
  }

  @Test
  void shouldLetGivenVariablesTakePrecedence() throws Exception {
    var environment =
        SoakRetention.environment(
            folder,
            20_000,
            Map.of("checkpoint-store", Map.of("BATON_GC_GRACE", "1h", "OTHER", "x")));

    assertThat(environment.get("checkpoint-store"))
        .containsEntry("BATON_GC_GRACE", "1h")
        .containsEntry("OTHER", "x")
        .containsEntry("BATON_GC_INTERVAL", "30s");
    assertThat(environment.get("kafka"))
        .containsEntry(
            "BATON_KAFKA_SERVER_PROPERTIES", folder.resolve("broker.properties").toString());
    assertThat(folder.resolve("broker.properties")).content().contains("log.retention.bytes=");
  }
}
