/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import dev.baton.protocol.file.PrivateFolderCreator;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Keeps the end of the output of runners whose place forgets it, one file for each: at most 2,000
 * files, each for a week. Thread-safe.
 */
public final class RunnerLogFolder {
  private static final String SUFFIX = ".log";
  private static final Duration KEPT = Duration.ofDays(7);
  private static final int MOST = 2_000;

  private record Log(Path path, FileTime written) {}

  private final Path folder;

  /** Keeps the files in this folder, which is created when it is needed. */
  public RunnerLogFolder(Path folder) {
    this.folder = folder;
  }

  /** Returns the file of the runner; it may not exist. */
  public Path of(String runner) {
    return folder.resolve(runner + SUFFIX);
  }

  /** Replaces an earlier file of the runner. */
  public void store(String runner, byte[] output) throws IOException {
    PrivateFolderCreator.createOrRestrict(folder);
    Path file = of(runner);
    Path written = Files.createTempFile(folder, runner, ".part");
    Files.write(written, output);
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Deletes old files; returns their number. */
  int clean(Instant now, int most) throws IOException {
    if (!Files.isDirectory(folder)) {
      return 0;
    }
    List<Log> logs = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        logs.add(new Log(file, Files.getLastModifiedTime(file)));
      }
    }
    logs.sort(Comparator.comparing(Log::written).reversed());
    int deleted = 0;
    for (int i = 0; i < logs.size(); i++) {
      if (i >= most || logs.get(i).written().toInstant().isBefore(now.minus(KEPT))) {
        Files.deleteIfExists(logs.get(i).path());
        deleted++;
      }
    }
    return deleted;
  }

  /** Deletes files that are too old or too many; returns their number. */
  public int clean() throws IOException {
    return clean(Instant.now(), MOST);
  }
}
