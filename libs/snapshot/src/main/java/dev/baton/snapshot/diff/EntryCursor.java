/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.diff;

import dev.baton.snapshot.SnapshotException.Corrupt;
import dev.baton.snapshot.SnapshotException.NotCanonical;
import dev.baton.snapshot.format.ChunkSource;
import dev.baton.snapshot.format.DirectoryNode;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.NodeCodec;
import dev.baton.snapshot.format.NodeEntry;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Iterates the entries of one directory; holds one leaf. */
final class EntryCursor {
  private final ChunkSource chunks;
  private Iterator<Hash> leaves = List.<Hash>of().iterator();
  private Iterator<NodeEntry> entries = List.<NodeEntry>of().iterator();
  private @Nullable NodeEntry current;

  private EntryCursor(ChunkSource chunks) {
    this.chunks = chunks;
  }

  static EntryCursor of(ChunkSource chunks, Hash node) throws IOException, InterruptedException {
    EntryCursor cursor = new EntryCursor(chunks);
    switch (NodeCodec.decode(chunks.read(node))) {
      case DirectoryNode.Leaf(List<NodeEntry> entries) -> cursor.entries = entries.iterator();
      case DirectoryNode.Branch(List<Hash> leaves) -> cursor.leaves = leaves.iterator();
    }
    cursor.next();
    return cursor;
  }

  /** Creates the cursor for a missing directory. */
  static EntryCursor ofNothing() {
    return new EntryCursor(chunk -> new byte[0]);
  }

  /** Returns the current entry; null at the end. */
  @Nullable NodeEntry current() {
    return current;
  }

  void next() throws IOException, InterruptedException {
    String before = current == null ? "" : current.name();
    while (!entries.hasNext() && leaves.hasNext()) {
      if (!(NodeCodec.decode(chunks.read(leaves.next()))
          instanceof DirectoryNode.Leaf(List<NodeEntry> leaf))) {
        throw new Corrupt("node: a leaf of a branch is a branch");
      }
      entries = leaf.iterator();
    }
    NodeEntry entry = entries.hasNext() ? entries.next() : null;
    if (entry != null && before.compareTo(entry.name()) >= 0) {
      throw new NotCanonical("node: the names of a directory do not ascend");
    }
    current = entry;
  }
}
