/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.format.DirectoryNode;
import dev.baton.snapshot.format.Extent;
import dev.baton.snapshot.format.ExtentListCodec;
import dev.baton.snapshot.format.FileContent;
import dev.baton.snapshot.format.FileMetadata;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.NodeCodec;
import dev.baton.snapshot.format.NodeEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TreeCheckerTest {
  private static final FileMetadata META = new FileMetadata(0644, 0, 0, null, List.of());

  /** A leaf of so few entries is not split. */
  private static final int TOGETHER = 60;

  private static final int LEAVES = TOGETHER * TOGETHER;

  /** Chunks of a tree; lists and data exist for each hash, so that the tree needs little memory. */
  private static final class SyntheticChunks implements ChunkBatchSource {
    final Map<Hash, byte[]> nodes = new HashMap<>();
    final byte[] list;
    int largest;
    long lists;

    SyntheticChunks() throws Exception {
      List<Extent> extents =
          new ArrayList<>(Collections.nCopies(17, new Extent.Data(number(1), 1)));
      List<byte[]> made = new ArrayList<>();
      ExtentListCodec.content(extents, chunk -> made.add(chunk.bytes()));
      list = made.getFirst();
    }

    @Override
    public void read(Set<Hash> chunks, Sink sink) throws IOException {
      for (Hash chunk : List.copyOf(chunks)) {
        byte[] node = nodes.get(chunk);
        if (node == null) {
          lists++;
        }
        sink.accept(chunk, node == null ? list : node);
      }
      largest = Math.max(largest, chunks.size());
    }

    @Override
    public void require(Set<Hash> chunks) throws SnapshotException {
      largest = Math.max(largest, chunks.size());
    }
  }

  private static Hash number(long n) {
    return Hash.of(ByteBuffer.allocate(32).putLong(n).array());
  }

  @Test
  void shouldHoldABoundedNumberOfChunkLists() throws Exception {
    SyntheticChunks chunks = new SyntheticChunks();
    List<NodeEntry> tops = new ArrayList<>();
    List<NodeEntry> folders = new ArrayList<>();
    for (int leaf = 0; leaf < LEAVES; leaf++) {
      List<NodeEntry> files = new ArrayList<>();
      for (int i = 0; i < TOGETHER; i++) {
        Hash list = number(1_000_000L + (long) leaf * TOGETHER + i);
        files.add(new NodeEntry.File("f%06d".formatted(i), META, 17, new FileContent.Listed(list)));
      }
      Hash hash = number(10 + leaf);
      chunks.nodes.put(hash, NodeCodec.encode(new DirectoryNode.Leaf(files)));
      folders.add(new NodeEntry.Directory("d%06d".formatted(leaf), META, hash));
      if (folders.size() == TOGETHER) {
        Hash top = number(500_000 + leaf);
        chunks.nodes.put(top, NodeCodec.encode(new DirectoryNode.Leaf(folders)));
        tops.add(new NodeEntry.Directory("t%06d".formatted(leaf), META, top));
        folders.clear();
      }
    }
    chunks.nodes.put(number(2), NodeCodec.encode(new DirectoryNode.Leaf(tops)));
    chunks.nodes.put(number(3), NodeCodec.encodeRoot(META, number(2)));

    assertThat(new TreeChecker(chunks, Set.of()).check(number(3))).isEmpty();

    assertThat(chunks.lists).isEqualTo((long) LEAVES * TOGETHER);
    assertThat(chunks.largest).isLessThanOrEqualTo(TreeChecker.MOST_LISTS);
  }
}
