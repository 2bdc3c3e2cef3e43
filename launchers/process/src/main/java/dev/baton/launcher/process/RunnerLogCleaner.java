/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.process;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * Deletes the log files of old runners: those not written for a week, and the oldest ones beyond
 * 2,000. Never deletes the log of a live runner; the limit of 2,000 also keeps logs written within
 * the last hour.
 */
final class RunnerLogCleaner {
  private static final Duration FRESH = Duration.ofHours(1);
  private static final Duration KEPT = Duration.ofDays(7);
  private static final int MOST = 2_000;

  private record Log(Path path, Instant written) {}

  private final Path folder;

  RunnerLogCleaner(Path folder) {
    this.folder = folder;
  }

  void sweep(Collection<String> alive) throws IOException {
    sweep(folder, Set.copyOf(alive), Instant.now(), MOST);
  }

  /** Returns the number of deleted files. */
  static int sweep(Path folder, Set<String> alive, Instant now, int most) throws IOException {
    if (!Files.isDirectory(folder)) {
      return 0;
    }
    List<Log> logs = new ArrayList<>();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(folder, "*" + ProcessLauncherSettings.LOG_SUFFIX)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        if (!alive.contains(
            name.substring(0, name.length() - ProcessLauncherSettings.LOG_SUFFIX.length()))) {
          logs.add(new Log(file, Files.getLastModifiedTime(file).toInstant()));
        }
      }
    }
    logs.sort(Comparator.comparing(Log::written).reversed());
    int removed = 0;
    for (int i = 0; i < logs.size(); i++) {
      Instant written = logs.get(i).written();
      boolean old = written.isBefore(now.minus(KEPT));
      boolean over = i >= most && written.isBefore(now.minus(FRESH));
      if (old || over) {
        Path log = logs.get(i).path();
        String name = log.getFileName().toString();
        Files.deleteIfExists(
            log.resolveSibling(
                name.substring(0, name.length() - ProcessLauncherSettings.LOG_SUFFIX.length())
                    + ProcessLauncherSettings.HANDLE_SUFFIX));
        Files.deleteIfExists(log);
        removed++;
      }
    }
    return removed;
  }
}
