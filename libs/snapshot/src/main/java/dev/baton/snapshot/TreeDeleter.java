/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.files.DirectoryRemover;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.RawName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/**
 * Deletes a tree, including read-only directories; never follows a link. Continues after errors and
 * reports the first ones.
 */
public final class TreeDeleter {
  private TreeDeleter() {}

  /**
   * Deletes the tree, regardless of modes. Succeeds if the root does not exist, and ignores entries
   * that another process removes at the same time.
   *
   * @throws IOException that names what was not deleted and why, at most 20 files
   */
  public static void deleteFully(Path root) throws IOException {
    List<String> problems = delete(root);
    if (!problems.isEmpty()) {
      throw new IOException(root + " cannot be deleted: " + String.join("; ", problems));
    }
  }

  /** Like {@link #deleteFully}, but returns what could not be deleted and why, at most 20 lines. */
  static List<String> delete(Path root) throws IOException {
    Path absolute = root.toAbsolutePath().normalize();
    Path parent = absolute.getParent();
    if (parent == null) {
      return List.of("the root of the file system is never deleted");
    }
    if (!Files.exists(absolute, LinkOption.NOFOLLOW_LINKS)) {
      return List.of();
    }
    String raw = RawName.ofPath(absolute);
    try (OpenDirectory in = OpenDirectory.open(parent.toRealPath())) {
      return DirectoryRemover.remove(in, raw.substring(raw.lastIndexOf('/') + 1));
    }
  }
}
