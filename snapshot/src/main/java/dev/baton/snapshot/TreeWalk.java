/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/** Finds everything in a tree, following no link. What cannot be read is noted and passed over. */
final class TreeWalk {
  record Found(TreePath path, Path file, Stat stat) {}

  private final Excludes excludes;
  private final List<Found> found = new ArrayList<>();
  private final List<Skipped> skipped;
  private final Deque<Found> pending = new ArrayDeque<>();

  private TreeWalk(Excludes excludes, List<Skipped> skipped) {
    this.excludes = excludes;
    this.skipped = skipped;
  }

  /**
   * Sorted by raw path, the root first.
   *
   * @throws IOException if the root is missing or not a directory; nothing below it is fatal
   */
  static List<Found> walk(Path root, Excludes excludes, List<Skipped> skipped) throws IOException {
    TreeWalk walk = new TreeWalk(excludes, skipped);
    Found top = new Found(TreePath.ROOT, root, Stat.of(root));
    if (top.stat.kind() != Stat.Kind.DIRECTORY) {
      throw new IOException(
          root + " is not a directory; a tree's root must be one (and no symbolic link)");
    }
    walk.found.add(top);
    walk.pending.push(top);
    while (!walk.pending.isEmpty()) {
      walk.enter(walk.pending.pop());
    }
    walk.found.sort(Comparator.comparing(Found::path));
    return walk.found;
  }

  private void enter(Found directory) {
    try (DirectoryStream<Path> children = Files.newDirectoryStream(directory.file)) {
      for (Path child : children) {
        visit(directory, child);
      }
    } catch (DirectoryIteratorException e) {
      skipped.add(new Skipped(directory.path.display(), Skipped.Reason.UNREADABLE, e.toString()));
    } catch (IOException e) {
      skipped.add(unreadable(directory.path, e));
    }
  }

  private void visit(Found directory, Path child) {
    String name = RawNames.rawOf(child.getFileName());
    TreePath path = directory.path.child(name);
    try {
      Found it = new Found(path, child, Stat.of(child));
      switch (it.stat.kind()) {
        case DIRECTORY -> {
          if (!excludes.covers(name)) {
            found.add(it);
            pending.push(it);
          }
        }
        case FILE, SYMLINK -> found.add(it);
        case OTHER ->
            skipped.add(
                new Skipped(
                    path.display(), Skipped.Reason.SPECIAL_FILE, "a socket, FIFO or device"));
      }
    } catch (IOException e) {
      skipped.add(unreadable(path, e));
    }
  }

  static Skipped unreadable(TreePath path, IOException e) {
    Skipped.Reason reason =
        e instanceof NoSuchFileException ? Skipped.Reason.VANISHED : Skipped.Reason.UNREADABLE;
    return new Skipped(path.display(), reason, e.toString());
  }
}
