/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The order in which modes and times are set on a tree that has just been written: a directory
 * after what is in it, and a mode that would keep the tree's owner from reading it back only after
 * that reading.
 */
final class LateModes {
  private LateModes() {}

  static boolean isLate(TreeEntry entry) {
    return switch (entry) {
      case TreeEntry.Directory d -> (d.mode() & 0500) != 0500;
      case TreeEntry.RegularFile f -> (f.mode() & 0400) == 0;
      case TreeEntry.Symlink l -> false;
      case TreeEntry.HardLink h -> false;
    };
  }

  /** Times of all directories, modes of those that stay readable. */
  static void setDirectories(Path root, TreeListing listing) throws IOException {
    for (TreeEntry entry : listing.entries().reversed()) {
      if (entry instanceof TreeEntry.Directory d) {
        Path dir = RawNames.resolve(root, d.path());
        Attributes.setMtime(dir, d.mtime());
        if (!isLate(d)) {
          Attributes.setMode(dir, d.mode());
        }
      }
    }
  }

  static void setLate(Path root, TreeListing listing) throws IOException {
    for (TreeEntry entry : listing.entries().reversed()) {
      if (isLate(entry)) {
        Attributes.setMode(RawNames.resolve(root, entry.path()), mode(entry));
      }
    }
  }

  /**
   * The listing of a tree whose late modes are not set yet, as it will be; both have the same paths
   * in the same order.
   */
  static TreeListing foresee(TreeListing read, TreeListing wanted) {
    if (read.entries().size() != wanted.entries().size()) {
      return read;
    }
    List<TreeEntry> entries = new ArrayList<>(read.entries());
    for (int i = 0; i < entries.size(); i++) {
      TreeEntry want = wanted.entries().get(i);
      if (isLate(want)) {
        entries.set(i, withMode(entries.get(i), mode(want)));
      }
    }
    return new TreeListing(entries, read.skipped());
  }

  private static int mode(TreeEntry entry) {
    return switch (entry) {
      case TreeEntry.Directory d -> d.mode();
      case TreeEntry.RegularFile f -> f.mode();
      case TreeEntry.Symlink l -> 0777;
      case TreeEntry.HardLink h -> 0777;
    };
  }

  private static TreeEntry withMode(TreeEntry entry, int mode) {
    return switch (entry) {
      case TreeEntry.Directory d -> new TreeEntry.Directory(d.path(), mode, d.mtime());
      case TreeEntry.RegularFile f ->
          new TreeEntry.RegularFile(f.path(), mode, f.mtime(), f.size(), f.sha256());
      case TreeEntry.Symlink l -> l;
      case TreeEntry.HardLink h -> h;
    };
  }
}
