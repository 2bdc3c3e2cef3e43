/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.measure;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Content of a directory.
 *
 * @param bytes sum of the sizes of its files
 * @param files regular files
 * @param folders without the directory itself
 * @param others links and other entries
 */
public record DiskUsage(long bytes, long files, long folders, long others) {

  /** Counts nothing when the directory does not exist. */
  public static DiskUsage of(Path directory) throws IOException {
    Count count = new Count();
    if (Files.isDirectory(directory)) {
      Files.walkFileTree(directory, count);
    }
    return new DiskUsage(count.bytes, count.files, Math.max(0, count.folders - 1), count.others);
  }

  private static final class Count extends SimpleFileVisitor<Path> {
    private long bytes;
    private long files;
    private long folders;
    private long others;

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
      folders++;
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      if (attributes.isRegularFile()) {
        bytes += attributes.size();
        files++;
      } else {
        others++;
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
      // A server may delete temporary files during the scan.
      if (failure instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw failure;
    }
  }
}
