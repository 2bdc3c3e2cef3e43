/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.files.TreeNavigator;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves files that no snapshot contains from a tree to the tree that replaces it: by rename on one
 * file system, without copies. Single use, one thread.
 */
public final class UncapturedFileMover implements AutoCloseable {
  private record Kept(String path, String name) {}

  private final Path folder;
  private final List<Kept> kept = new ArrayList<>();
  private @Nullable OpenDirectory open;

  private UncapturedFileMover(Path folder) {
    this.folder = folder;
  }

  /**
   * Moves these paths out of the tree; a path that does not exist or cannot be moved is skipped.
   *
   * @param paths raw, from the root; none inside another
   * @param folder created if needed, on the same file system; the caller deletes what remains in it
   */
  public static UncapturedFileMover take(Path root, List<String> paths, Path folder)
      throws IOException {
    UncapturedFileMover files = new UncapturedFileMover(folder);
    if (paths.isEmpty() || !Files.isDirectory(root)) {
      return files;
    }
    Files.createDirectories(folder);
    OpenDirectory to = OpenDirectory.open(folder.toRealPath());
    files.open = to;
    try (TreeNavigator tree = TreeNavigator.of(root.toRealPath())) {
      for (String path : paths) {
        String name = Integer.toString(files.kept.size());
        try {
          tree.in(parent(path)).rename(name(path), to, name);
          files.kept.add(new Kept(path, name));
        } catch (PosixException e) {
          if (!e.isReplaced() && !e.isDenied()) {
            throw e;
          }
        }
      }
    }
    return files;
  }

  /**
   * Moves the files into a tree, each to its old path, unless its directory is missing or its name
   * exists. The times of the directories are preserved.
   *
   * @return the raw paths that are now in the tree
   */
  public List<String> putInto(Path root) throws IOException {
    List<String> placed = new ArrayList<>();
    OpenDirectory from = open;
    if (from == null) {
      return placed;
    }
    StatBuffer stat = new StatBuffer();
    try (TreeNavigator tree = TreeNavigator.of(root.toRealPath())) {
      for (Kept each : kept) {
        try {
          OpenDirectory in = tree.in(parent(each.path));
          if (!in.statIfPresent(name(each.path), stat)) {
            in.stat(stat);
            long seconds = stat.mtimeSeconds;
            int nanos = stat.mtimeNanos;
            from.rename(each.name, in, name(each.path));
            in.setModified(seconds, nanos);
            placed.add(each.path);
          }
        } catch (PosixException e) {
          if (!e.isReplaced() && !e.isDenied()) {
            throw e;
          }
        }
      }
    }
    return placed;
  }

  /** Returns the folder with the files that were not moved into a tree. */
  public Path folder() {
    return folder;
  }

  @Override
  public void close() throws IOException {
    OpenDirectory mine = open;
    open = null;
    if (mine != null) {
      mine.close();
    }
  }

  private static String parent(String path) {
    int slash = path.lastIndexOf('/');
    return slash < 0 ? "" : path.substring(0, slash);
  }

  private static String name(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
