/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ProcfsUsageReaderTest {
  private static final String BUSY = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";

  @Test
  void shouldCountEndedChildrenForTheNamedPart() throws Exception {
    // Given a shell whose child has worked, and which then only waits
    Process shell =
        new ProcessBuilder("sh", "-c", "sh -c '" + BUSY + "'; echo done; read line")
            .redirectErrorStream(true)
            .start();
    try {
      assertThat(shell.inputReader().readLine()).isEqualTo("done");

      Map<String, Long> cpu =
          ProcfsUsageReader.cpuMicrosWithEnded(
              Map.of(shell.pid(), "parent"), Map.of("parent", "child"));

      long child = cpu.getOrDefault("child", 0L);
      long parent = cpu.getOrDefault("parent", 0L);
      assertThat(child).isGreaterThan(20_000);
      assertThat(parent).isLessThan(child);
      assertThat(ProcfsUsageReader.cpuMicrosWithEnded(Map.of(shell.pid(), "all"), Map.of()))
          .containsEntry("all", child + parent);
    } finally {
      shell.destroyForcibly();
    }
  }
}
