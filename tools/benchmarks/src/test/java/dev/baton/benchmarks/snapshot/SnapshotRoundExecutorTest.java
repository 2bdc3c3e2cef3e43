/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.baton.benchmarks.measure.TimedCommand;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotRoundExecutorTest {
  private static final PhaseCost NOTHING = new PhaseCost(0, 0, 0, 0);
  // Several pages, and not a whole number of them.
  private static final int SIZE = 100_000;

  @TempDir Path folder;

  @Test
  void shouldGiveEachToolAWarmPageCacheWhateverTheOneBeforeDidToIt() throws Exception {
    Path tree = Files.createDirectory(folder.resolve("tree"));
    Path file = Files.write(tree.resolve("file"), new byte[SIZE]);
    Path work = Files.createDirectory(folder.resolve("work"));
    List<Boolean> warm = new ArrayList<>();

    try (SnapshotRoundExecutor turns = new SnapshotRoundExecutor(tree, work, 1, true, line -> {})) {
      turns.round(
          1,
          List.of(
              new CacheEvictingTool("one", work, file, warm),
              new CacheEvictingTool("two", work, file, warm)));
    }

    assertThat(warm).hasSize(8).containsOnly(true);
  }

  /** Detects whether the file is in the page cache, and evicts it, like borg. */
  private record CacheEvictingTool(String name, Path work, Path file, List<Boolean> warm)
      implements SnapshotTool {
    @Override
    public String version() {
      return "for a test";
    }

    @Override
    public void begin(Path tree) {}

    @Override
    public PhaseCost capture(Path tree) throws IOException, InterruptedException {
      warm.add(isCached());
      // "count=0" with "nocache" drops the file's whole cache; its pages must be clean for that.
      String drop = "dd of=\"$0\" oflag=nocache conv=notrunc,fdatasync count=0";
      new TimedCommand(
              List.of("sh", "-c", drop, file.toString()), Map.of(), work, work.resolve("drop.log"))
          .run();
      assumeThat(isCached()).as("a file system in memory cannot drop it").isFalse();
      return NOTHING;
    }

    /** Uses {@code mincore}. */
    private boolean isCached() throws IOException {
      try (FileChannel channel = FileChannel.open(file)) {
        return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()).isLoaded();
      }
    }

    @Override
    public Restoration restore(Path tree, Path target) {
      return new Restoration(NOTHING, tree);
    }

    @Override
    public long storedBytes() {
      return 0;
    }

    @Override
    public void end() {}

    @Override
    public void close() {}
  }
}
