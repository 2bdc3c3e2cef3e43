/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TimedCommandTest {
  @TempDir Path folder;

  @Test
  void shouldCountWhatChildrenOfChildrenUse() throws Exception {
    // Given a shell that starts another, which works for some tenths of a second
    String busy = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done";

    ResourceUsage usage = command("sh -c '" + busy + "'; true").run();

    assertThat(usage.cpuS()).isGreaterThan(0.05).isLessThan(usage.wallS() + 0.05);
    assertThat(usage.peakRssBytes()).isBetween(200_000L, 100_000_000L);
  }

  @Test
  void shouldSayWhatAFailedProgramSaid() {
    assertThatThrownBy(() -> command("echo no such thing >&2; exit 3").run())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ended with 3")
        .hasMessageContaining("no such thing");
  }

  @Test
  void shouldHaveItsVariablesAndFolder() throws Exception {
    assertThat(
            new TimedCommand(
                    List.of("sh", "-c", "echo $WORD; pwd"),
                    Map.of("WORD", "hello"),
                    folder,
                    folder.resolve("log"))
                .output())
        .isEqualTo("hello\n" + folder.toRealPath() + "\n");
  }

  @Test
  void shouldMeasureARunningProcessForAWhile() throws Exception {
    // Given
    ProcessUsageMeter clock = ProcessUsageMeter.start(ProcessHandle.current().pid());

    // When this one works for a fifth of a second
    long end = System.nanoTime() + 200_000_000;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    ResourceUsage usage = clock.stop();

    // Then
    assertThat(usage.wallS()).isGreaterThanOrEqualTo(0.2);
    assertThat(usage.cpuS()).isPositive();
    assertThat(usage.peakRssBytes()).isGreaterThan(20_000_000);
  }

  private TimedCommand command(String script) {
    return new TimedCommand(List.of("sh", "-c", script), Map.of(), folder, folder.resolve("log"));
  }
}
