/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import dev.baton.snapshot.SnapshotException.Corrupt;
import dev.baton.snapshot.SnapshotException.DuplicateEntry;
import dev.baton.snapshot.SnapshotException.NotCanonical;
import java.io.IOException;
import java.util.List;

/** Reads directories leaf by leaf. Thread-safe if its source is. */
public final class NodeReader {
  /** Receives the entries of a directory, in the order of their names. */
  @FunctionalInterface
  public interface EntrySink {
    void accept(NodeEntry entry) throws IOException, InterruptedException;
  }

  private final ChunkSource source;

  public NodeReader(ChunkSource source) {
    this.source = source;
  }

  /** Reads the root of the tree with this digest. */
  public NodeEntry.Directory root(Hash digest) throws IOException, InterruptedException {
    byte[] bytes = source.read(digest);
    return NodeCodec.decodeRoot(bytes, 0, bytes.length);
  }

  /** Passes all entries of the directory to {@code sink}; holds one leaf at a time. */
  public void read(Hash node, EntrySink sink) throws IOException, InterruptedException {
    switch (NodeCodec.decode(source.read(node))) {
      case DirectoryNode.Leaf(List<NodeEntry> entries) -> give(entries, sink);
      case DirectoryNode.Branch(List<Hash> leaves) -> branch(leaves, sink);
    }
  }

  private void branch(List<Hash> leaves, EntrySink sink) throws IOException, InterruptedException {
    String before = "";
    for (int i = 0; i < leaves.size(); i++) {
      byte[] bytes = source.read(leaves.get(i));
      if (!(NodeCodec.decode(bytes) instanceof DirectoryNode.Leaf(List<NodeEntry> entries))) {
        throw new Corrupt("node: leaf %d of a branch is a branch".formatted(i));
      }
      requireFollows(before, entries, i);
      boolean last = i == leaves.size() - 1;
      before = entries.getLast().name();
      int size = bytes.length - 4 - (entries.size() < 0x80 ? 1 : 2);
      if (!last && !LeafSplitPolicy.after(before, entries.size(), size)) {
        throw new NotCanonical("node: leaf %d of a branch ends too soon".formatted(i));
      }
      give(entries, sink);
    }
  }

  private static void requireFollows(String before, List<NodeEntry> entries, int leaf)
      throws IOException {
    if (entries.isEmpty()) {
      throw new NotCanonical("node: leaf %d of a branch is empty".formatted(leaf));
    }
    String name = entries.getFirst().name();
    int order = before.compareTo(name);
    if (order == 0) {
      throw new DuplicateEntry(
          "node: entry '%s' is in two leaves".formatted(RawBytesValidator.display(name)));
    }
    if (order > 0) {
      throw new NotCanonical(
          "node: entry '%s' of leaf %d must come before '%s'"
              .formatted(RawBytesValidator.display(name), leaf, RawBytesValidator.display(before)));
    }
  }

  private static void give(List<NodeEntry> entries, EntrySink sink)
      throws IOException, InterruptedException {
    for (NodeEntry entry : entries) {
      sink.accept(entry);
    }
  }
}
