/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.benchmarks.snapshot.SnapshotResult.ToolResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uses the programs of this machine; tar and zstd are always present. */
class SnapshotBenchmarkTest {
  @TempDir Path folder;

  @Test
  void shouldMeasureWhatIsThereAndLeaveNothing() throws Exception {
    Path work = Files.createDirectory(folder.resolve("work"));
    SnapshotOptions options =
        SnapshotOptions.parse(
            List.of("--files", "200", "--rounds", "2", "--tools", "tar,restic,borg"));

    SnapshotResult result =
        new SnapshotBenchmark(options, work, folder.resolve("trees"), line -> {}).run();

    assertThat(result.floors()).hasSize(2);
    assertThat(result.floor().readS()).isPositive();
    assertThat(result.content().files()).isGreaterThan(150);
    assertThat(result.tools()).containsKey("tar");
    ToolResult tar = Objects.requireNonNull(result.tools().get("tar"));
    assertThat(tar.rounds()).hasSize(2);
    assertThat(tar.differences())
        .satisfiesAnyOf(d -> assertThat(d).isNull(), d -> assertThat(d).isEmpty());
    for (SnapshotRoundResult round : tar.rounds()) {
      assertThat(round.costs()).containsOnlyKeys(SnapshotPhase.values());
      assertThat(round.wallS(SnapshotPhase.FIRST)).isPositive();
      // Four full archives of nearly the same tree.
      assertThat(round.storedBytes()).isBetween(round.firstBytes() * 3, round.firstBytes() * 5);
    }
    try (Stream<Path> left = Files.list(work)) {
      assertThat(left.map(path -> path.getFileName().toString())).containsOnly("log");
    }
  }

  @Test
  void shouldMeasureWithAGivenDirectoryAndLeaveItAsItIs() throws Exception {
    Path work = Files.createDirectory(folder.resolve("work"));
    Path given = Files.createDirectory(folder.resolve("given"));
    Files.writeString(given.resolve("a"), "a");
    SnapshotOptions options =
        SnapshotOptions.parse(
            List.of("--tree", given.toString(), "--rounds", "1", "--tools", "tar"));

    SnapshotResult result =
        new SnapshotBenchmark(options, work, folder.resolve("trees"), line -> {}).run();

    assertThat(result.content().files()).isEqualTo(1);
    assertThat(Files.readString(given.resolve("a"))).isEqualTo("a");
    assertThat(folder.resolve("trees")).doesNotExist();
  }

  @Test
  void shouldNameADirectoryThatIsNone() {
    SnapshotOptions options = SnapshotOptions.parse(List.of("--tree", "/no/such"));

    assertThatThrownBy(
            () -> new SnapshotBenchmark(options, folder, folder.resolve("trees"), line -> {}).run())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("--tree /no/such is not a directory");
  }
}
