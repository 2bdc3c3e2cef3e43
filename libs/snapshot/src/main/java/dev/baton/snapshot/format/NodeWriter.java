/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import dev.baton.snapshot.SnapshotException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes directories, one after another: receives the entries of a directory in order, passes
 * chunks to a sink and returns the hash of the node. Thread-confined; reusable after {@link
 * #finish}. Holds one leaf, at most 4 MiB.
 */
public final class NodeWriter {
  private static final int HEADER = 6;

  private final ChunkSink sink;
  private final ByteWriter out = new ByteWriter(4096);
  private final List<Hash> leaves = new ArrayList<>();
  private int count;
  private String before = "";

  public NodeWriter(ChunkSink sink) {
    this.sink = sink;
    out.skip(HEADER);
  }

  /**
   * Adds an entry; names must be in ascending order.
   *
   * @throws IllegalArgumentException if the name is out of order or empty
   * @throws SnapshotException.TooManyEntries in a directory of more than 65,536 leaves
   */
  public void add(NodeEntry entry) throws IOException, InterruptedException {
    if (before.compareTo(entry.name()) >= 0) {
      throw new IllegalArgumentException(
          "entry '%s' after '%s': names must ascend"
              .formatted(
                  RawBytesValidator.display(entry.name()), RawBytesValidator.display(before)));
    }
    if (count > 0 && LeafSplitPolicy.after(before, count, out.length() - HEADER)) {
      endLeaf();
    }
    EntryCodec.write(entry, out);
    count++;
    before = entry.name();
  }

  /** Returns the hash of the directory's node; the sink has received all its chunks. */
  public Hash finish() throws IOException, InterruptedException {
    endLeaf();
    Hash node = leaves.size() == 1 ? leaves.getFirst() : branch();
    leaves.clear();
    before = "";
    return node;
  }

  private Hash branch() throws IOException, InterruptedException {
    out.ascii(NodeCodec.BRANCH).varint(leaves.size());
    leaves.forEach(out::hash);
    return emit(HEADER);
  }

  private void endLeaf() throws IOException, InterruptedException {
    if (leaves.size() == DirectoryNode.Branch.MAX) {
      throw new SnapshotException.TooManyEntries(
          "a directory of more than %d leaves after '%s'"
              .formatted(DirectoryNode.Branch.MAX, RawBytesValidator.display(before)));
    }
    // The header's length depends on the count, so it is written at the end, right before the
    // entries.
    int start = count < 0x80 ? 1 : 0;
    byte[] bytes = out.array();
    for (int i = 0; i < 4; i++) {
      bytes[start + i] = (byte) NodeCodec.LEAF.charAt(i);
    }
    if (count < 0x80) {
      bytes[start + 4] = (byte) count;
    } else {
      bytes[start + 4] = (byte) (count | 0x80);
      bytes[start + 5] = (byte) (count >>> 7);
    }
    leaves.add(emit(start));
    count = 0;
  }

  private Hash emit(int start) throws IOException, InterruptedException {
    Chunk chunk = Chunk.of(Chunk.Kind.NODE, out.array(), start, out.length() - start);
    sink.accept(chunk);
    out.truncate(HEADER);
    return chunk.hash();
  }
}
