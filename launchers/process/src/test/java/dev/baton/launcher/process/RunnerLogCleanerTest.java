/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunnerLogCleanerTest {
  private static final Instant NOW = Instant.parse("2026-01-10T00:00:00Z");

  private static void log(Path folder, String runner, Duration age) throws IOException {
    Path log = Files.writeString(folder.resolve(runner + ".log"), "x");
    Files.setLastModifiedTime(log, FileTime.from(NOW.minus(age)));
  }

  @Test
  void shouldRemoveByAgeAndCountButNothingOfTheLivingOrFresh(@TempDir Path folder)
      throws IOException {
    log(folder, "old", Duration.ofDays(8));
    log(folder, "old-and-alive", Duration.ofDays(8));
    log(folder, "fresh", Duration.ofMinutes(1));
    log(folder, "fresh-too", Duration.ofMinutes(2));
    log(folder, "over", Duration.ofHours(3));

    int removed = RunnerLogCleaner.sweep(folder, Set.of("old-and-alive"), NOW, 1);

    assertThat(removed).isEqualTo(2);
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left.map(file -> file.getFileName().toString()).toList())
          .containsExactlyInAnyOrderElementsOf(
              List.of("old-and-alive.log", "fresh.log", "fresh-too.log"));
    }
  }

  @Test
  void shouldDoNothingBeforeTheFirstRunner(@TempDir Path folder) throws IOException {
    assertThat(RunnerLogCleaner.sweep(folder.resolve("none"), Set.of(), NOW, 1)).isZero();
  }
}
