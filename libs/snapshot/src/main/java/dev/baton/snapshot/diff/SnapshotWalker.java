/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.diff;

import dev.baton.snapshot.SnapshotException.TooDeep;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.posix.RawName;
import dev.baton.snapshot.restore.SnapshotReader;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** Lists the entries of a snapshot. */
public final class SnapshotWalker {
  /** Receives every entry. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * @param path from the root, raw; empty for the root
     */
    void visit(String path, NodeEntry entry) throws IOException, InterruptedException;
  }

  private record Level(String path, EntryCursor entries) {
    String path(String name) {
      return path.isEmpty() ? name : path + "/" + name;
    }
  }

  private SnapshotWalker() {}

  /**
   * Visits all entries in walk order: a directory before its entries, names in the order of their
   * bytes; so a hard link comes after its file. Holds one leaf of each directory on the current
   * path.
   */
  public static void walk(SnapshotReader snapshot, Visitor visitor)
      throws IOException, InterruptedException {
    visitor.visit("", snapshot.root());
    Deque<Level> levels = new ArrayDeque<>();
    levels.push(new Level("", EntryCursor.of(snapshot, snapshot.root().node())));
    while (!levels.isEmpty()) {
      Level level = levels.getFirst();
      NodeEntry entry = level.entries.current();
      if (entry == null) {
        levels.pop();
        continue;
      }
      level.entries.next();
      String path = level.path(entry.name());
      visitor.visit(path, entry);
      if (entry instanceof NodeEntry.Directory directory) {
        requireDepth(levels.size(), path);
        levels.push(new Level(path, EntryCursor.of(snapshot, directory.node())));
      }
    }
  }

  static void requireDepth(int levels, String path) throws TooDeep {
    if (levels > NodeEntry.MAX_DEPTH) {
      throw new TooDeep(
          "directories nested deeper than %d: '%s'"
              .formatted(NodeEntry.MAX_DEPTH, RawName.display(path)));
    }
  }
}
