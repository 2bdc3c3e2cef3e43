/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import dev.baton.snapshot.PackRef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** A fuzzing target with valid bytes to start from. */
record FuzzTarget(Class<?> type, Consumer<byte[]> run, List<byte[]> seeds) {
  static List<FuzzTarget> all() throws Exception {
    PackChunks packs = FixtureTest.packs();
    return List.of(
        new FuzzTarget(NodeFuzz.class, NodeFuzz::fuzzerTestOneInput, packs.all(Chunk.Kind.NODE)),
        new FuzzTarget(ExtentListFuzz.class, ExtentListFuzz::fuzzerTestOneInput, lists(packs)),
        new FuzzTarget(PackIndexFuzz.class, PackIndexFuzz::fuzzerTestOneInput, indexes(packs)),
        new FuzzTarget(BlockFuzz.class, BlockFuzz::fuzzerTestOneInput, blocks(packs)));
  }

  private static List<byte[]> lists(PackChunks packs) throws Exception {
    List<byte[]> lists = new ArrayList<>();
    for (byte[] chunk : packs.all(Chunk.Kind.NODE)) {
      if (chunk[1] == 'L') {
        long size = size(chunk);
        ByteWriter seed = new ByteWriter(chunk.length + 8);
        for (int shift = 56; shift >= 0; shift -= 8) {
          seed.u8((int) (size >>> shift));
        }
        lists.add(seed.put(chunk, 0, chunk.length).toBytes());
      }
    }
    return lists;
  }

  /** Returns the size of the fixture's only file with many extents. */
  private static long size(byte[] list) throws Exception {
    for (NodeEntry entry : DirectoryNodeTest.read(rootNode(), FixtureTest.packs())) {
      if (entry instanceof NodeEntry.File file
          && file.content().equals(new FileContent.Listed(Hash.of(list)))) {
        return file.size();
      }
    }
    throw new AssertionError("no file has the list " + Hash.of(list));
  }

  private static Hash rootNode() throws Exception {
    Hash root = new FixtureTree(chunk -> {}).write();
    return new NodeReader(FixtureTest.packs()).root(root).node();
  }

  private static List<byte[]> indexes(PackChunks packs) {
    List<byte[]> indexes = new ArrayList<>();
    for (int i = 0; i < packs.table.packs().size(); i++) {
      PackRef ref = packs.table.packs().get(i);
      byte[] pack = packs.bytes(i);
      indexes.add(pack);
      indexes.add(
          Arrays.copyOfRange(
              pack, pack.length - ref.indexBytes(), pack.length - PackIndex.TRAILER));
    }
    return indexes;
  }

  private static List<byte[]> blocks(PackChunks packs) {
    List<byte[]> blocks = new ArrayList<>();
    for (int i = 0; i < packs.table.packs().size(); i++) {
      for (BlockSpan span : packs.table.blocks(i)) {
        if (span.rawLength() < 1 << 16) {
          ByteWriter seed = new ByteWriter(span.compressedLength() + 2);
          seed.u8(span.rawLength() >>> 8).u8(span.rawLength());
          blocks.add(seed.put(packs.bytes(i), span.offset(), span.compressedLength()).toBytes());
        }
      }
    }
    return blocks;
  }
}
