/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

/**
 * Decides where a large directory is split. The split depends on names, so an added or removed name
 * changes its own leaf and rarely another one.
 */
final class LeafSplitPolicy {
  static final int MIN_ENTRIES = 256;
  static final int TARGET_BYTES = 2 << 20;
  private static final int MASK = 0x3ff;

  private LeafSplitPolicy() {}

  /**
   * Returns whether a leaf ends after this entry if another entry follows.
   *
   * @param count number of entries of the leaf, including this one
   * @param bytes of its entries, including this one
   */
  static boolean after(String name, int count, int bytes) {
    return (count >= MIN_ENTRIES && (fnv1a(name) & MASK) == 0)
        || count >= DirectoryNode.Leaf.MAX
        || bytes >= TARGET_BYTES;
  }

  static int fnv1a(String raw) {
    int hash = 0x811c9dc5;
    for (int i = 0; i < raw.length(); i++) {
      hash = (hash ^ raw.charAt(i)) * 0x01000193;
    }
    return hash;
  }
}
