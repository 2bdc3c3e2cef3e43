/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import java.util.List;

/** The content of a directory, or a part of it. */
public sealed interface DirectoryNode {
  /** Entries, ascending by the bytes of their names. */
  record Leaf(List<NodeEntry> entries) implements DirectoryNode {
    public static final int MAX = 4096;

    public Leaf {
      entries = List.copyOf(entries);
      if (entries.size() > MAX) {
        throw new IllegalArgumentException(
            "%d entries; a leaf has at most %d".formatted(entries.size(), MAX));
      }
    }
  }

  /** A large directory: the hashes of its leaves, in order. */
  record Branch(List<Hash> leaves) implements DirectoryNode {
    public static final int MIN = 2;
    public static final int MAX = 65_536;

    public Branch {
      leaves = List.copyOf(leaves);
      if (leaves.size() < MIN || leaves.size() > MAX) {
        throw new IllegalArgumentException(
            "a branch has %d to %d leaves, not %d".formatted(MIN, MAX, leaves.size()));
      }
    }
  }
}
