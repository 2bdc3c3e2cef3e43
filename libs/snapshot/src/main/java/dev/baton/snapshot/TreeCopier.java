/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.copy.ParallelTreeCopier;
import dev.baton.snapshot.files.StagedTargetDirectory;
import dev.baton.snapshot.scan.ScanResult;
import dev.baton.snapshot.scan.TreeScanner;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies a tree exactly, without an intermediate store: a workspace for a parallel branch. A
 * capture of the copy gives the same digest as a capture of the original. Thread-safe.
 */
public final class TreeCopier {
  private TreeCopier() {}

  /**
   * Copies everything, including what captures exclude, into a new directory next to {@code to} and
   * renames it to {@code to}, so {@code to} is complete when it exists. Blocks; stops soon after an
   * interrupt.
   *
   * @return entries that were not copied, or possibly copied inconsistently: special files,
   *     unreadable files, files that vanished or were written during the copy, owners that only the
   *     superuser can set
   * @throws FileAlreadyExistsException if {@code to} exists
   * @throws IOException if {@code from} is not a directory, or writing fails
   */
  public static List<SkippedEntry> copy(Path from, Path to)
      throws IOException, InterruptedException {
    if (Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileAlreadyExistsException(to.toString());
    }
    ScanResult scan = TreeScanner.ofEverything().scan(from, null);
    List<SkippedEntry> skipped = new ArrayList<>(scan.skipped());
    try (StagedTargetDirectory fresh = StagedTargetDirectory.beside(to)) {
      skipped.addAll(new ParallelTreeCopier(from, fresh.directory()).copy(scan.root()));
      fresh.place();
    }
    return List.copyOf(skipped);
  }
}
