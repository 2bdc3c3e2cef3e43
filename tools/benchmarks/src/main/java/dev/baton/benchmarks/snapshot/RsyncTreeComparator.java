/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.snapshot;

import dev.baton.benchmarks.measure.TimedCommand;
import dev.baton.standalone.process.DetachedCommandFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compares two trees with rsync, which is independent of the measured tools. */
final class RsyncTreeComparator {
  private static final int SHOWN = 100;

  private RsyncTreeComparator() {}

  /**
   * Returns rsync's list of differences between the trees, at most a hundred lines; null when rsync
   * is missing.
   *
   * @param log gets its output
   */
  static @Nullable List<String> differences(Path tree, Path restored, Path log)
      throws IOException, InterruptedException {
    if (DetachedCommandFactory.onPath("rsync").isEmpty()) {
      return null;
    }
    // Without -i rsync prints no differences.
    List<String> line = List.of("rsync", "-aHAXcni", "--delete", tree + "/", restored + "/");
    String said = new TimedCommand(line, Map.of(), tree, log).output();
    return said.lines().limit(SHOWN).toList();
  }
}
