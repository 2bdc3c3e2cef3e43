/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.SnapshotException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads chunks from packs in memory by their indexes, and verifies them. */
final class PackChunks implements ChunkSource {
  final ChunkTable table = new ChunkTable();
  private final Map<Hash, byte[]> packs = new HashMap<>();

  void add(byte[] pack) throws SnapshotException {
    PackRef ref = PackIndex.identify(pack, pack.length);
    packs.put(ref.id(), pack);
    table.addAll(ref, PackIndex.decode(ref, pack));
  }

  @Override
  public byte[] read(Hash chunk) throws SnapshotException {
    int entry = table.find(chunk);
    if (entry == ChunkTable.ABSENT) {
      throw new SnapshotException.MissingChunk("no chunk " + chunk);
    }
    byte[] raw = raw(table.pack(entry), table.block(entry));
    int offset = table.offset(entry);
    BlockReader.check(chunk, raw, offset, table.length(entry));
    return Arrays.copyOfRange(raw, offset, offset + table.length(entry));
  }

  private byte[] raw(int pack, int block) throws SnapshotException {
    BlockSpan span = table.blocks(pack).get(block);
    byte[] raw = new byte[span.rawLength()];
    byte[] bytes = bytes(pack);
    try (BlockReader reader = new BlockReader()) {
      reader.read(bytes, span.offset(), span.compressedLength(), raw, span.rawLength());
    }
    return raw;
  }

  byte[] bytes(int pack) {
    byte[] bytes = packs.get(table.packs().get(pack).id());
    if (bytes == null) {
      throw new IllegalArgumentException("no pack " + pack);
    }
    return bytes;
  }

  /** Returns all chunks of blocks of this kind. */
  List<byte[]> all(Chunk.Kind kind) throws SnapshotException {
    List<byte[]> chunks = new ArrayList<>();
    for (int entry = 0; entry < table.size(); entry++) {
      if (table.blocks(table.pack(entry)).get(table.block(entry)).kind() == kind) {
        chunks.add(read(table.hash(entry)));
      }
    }
    return chunks;
  }
}
