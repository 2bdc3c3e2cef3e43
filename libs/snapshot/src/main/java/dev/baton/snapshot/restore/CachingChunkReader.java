/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.format.BlockReader;
import dev.baton.snapshot.format.BlockSpan;
import dev.baton.snapshot.format.ChunkSource;
import dev.baton.snapshot.format.ChunkTable;
import dev.baton.snapshot.format.Hash;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads single chunks, mainly directory nodes, and verifies their hash. Caches the blocks read
 * last. Thread-safe: one thread reads at a time.
 */
final class CachingChunkReader implements ChunkSource, AutoCloseable {
  /** Maximum number of decompressed bytes in the cache; a single larger block is also cached. */
  private static final long MAX_BYTES = 32 << 20;

  private final PackReader packs;
  private final BlockReader unpacker = new BlockReader();
  private final Map<Long, byte[]> blocks = new LinkedHashMap<>(16, 0.75f, true);
  private long held;

  CachingChunkReader(PackReader packs) {
    this.packs = packs;
  }

  @Override
  public synchronized byte[] read(Hash chunk) throws IOException, InterruptedException {
    int entry = packs.find(chunk);
    ChunkTable table = packs.table();
    byte[] block = block(table.pack(entry), table.block(entry));
    int offset = table.offset(entry);
    BlockReader.check(chunk, block, offset, table.length(entry));
    return Arrays.copyOfRange(block, offset, offset + table.length(entry));
  }

  private byte[] block(int pack, int number) throws IOException, InterruptedException {
    byte[] known = blocks.get(PipelineBlock.key(pack, number));
    if (known != null) {
      return known;
    }
    BlockSpan span = packs.span(pack, number);
    var oldest = blocks.values().iterator();
    while (held + span.rawLength() > MAX_BYTES && oldest.hasNext()) {
      held -= oldest.next().length;
      oldest.remove();
    }
    byte[] packed = new byte[span.compressedLength()];
    packs.read(pack, span.offset(), packed, packed.length);
    byte[] bytes = new byte[span.rawLength()];
    unpacker.read(packed, 0, packed.length, bytes, bytes.length);
    blocks.put(PipelineBlock.key(pack, number), bytes);
    held += bytes.length;
    return bytes;
  }

  @Override
  public synchronized void close() {
    unpacker.close();
  }
}
