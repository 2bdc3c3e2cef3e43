/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.snapshot;

import dev.baton.benchmarks.measure.MedianCalculator;
import dev.baton.benchmarks.measure.TimedCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Minimum cost for any tool, in seconds.
 *
 * @param statS stat of every file once, as in {@code find}
 * @param readS reading all bytes
 * @param zstdS compressing all bytes in one stream: {@code tar | zstd -3 -T2}
 */
public record FileIoFloor(double statS, double readS, double zstdS) {

  /**
   * @param log gets the programs' output
   */
  static FileIoFloor measure(Path tree, Path log) throws IOException, InterruptedException {
    // %s forces find to stat each file; the name alone would not.
    return new FileIoFloor(
        shell(tree, log, "find . -printf '%s\\n' >/dev/null"),
        read(tree, log),
        shell(tree, log, "tar -cf - . | zstd -q -3 -T2 >/dev/null"));
  }

  /** Reads all bytes, which are then in the page cache if it is large enough. */
  static double read(Path tree, Path log) throws IOException, InterruptedException {
    return shell(tree, log, "find . -type f -print0 | xargs -0 cat >/dev/null");
  }

  static FileIoFloor median(List<FileIoFloor> floors) {
    return new FileIoFloor(
        MedianCalculator.of(floors, FileIoFloor::statS),
        MedianCalculator.of(floors, FileIoFloor::readS),
        MedianCalculator.of(floors, FileIoFloor::zstdS));
  }

  private static double shell(Path tree, Path log, String line)
      throws IOException, InterruptedException {
    return new TimedCommand(List.of("sh", "-c", line), Map.of(), tree, log).run().wallS();
  }
}
