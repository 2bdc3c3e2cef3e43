/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;

/**
 * Compresses blocks; one instance per thread, which keeps zstd's tables and a buffer between
 * blocks.
 */
public final class BlockCompressor implements AutoCloseable {
  private static final int LEVEL = 3;

  // ZSTD_fast: one table of the last positions instead of the level's two. On the trees that were
  // measured, these parameters need 4 to 20 percent less time than two tables small enough for the
  // L2 cache, and produce between 1 percent less and 2 percent more bytes.
  private static final int STRATEGY = 1;

  // Entries of four bytes: 256 KiB fit into the L2 cache.
  private static final int TABLE_BITS = 16;

  // Most matches in text are longer.
  private static final int SHORTEST_MATCH = 7;

  private static final int MOST_BYTES = (int) Zstd.compressBound(BlockWriter.TARGET);

  private final ZstdCompressCtx zstd =
      new ZstdCompressCtx()
          .setLevel(LEVEL)
          .setStrategy(STRATEGY)
          .setHashLog(TABLE_BITS)
          .setMinMatch(SHORTEST_MATCH)
          .setChecksum(false)
          .setContentSize(true);
  private byte[] scratch = new byte[0];

  /**
   * Compresses the content of {@code writer}, which is not changed; the result is valid until the
   * next call.
   *
   * @throws IllegalArgumentException if {@code writer} is empty
   */
  public CompressedBlock compress(BlockWriter writer) {
    if (writer.isEmpty()) {
      throw new IllegalArgumentException("a block must have a chunk");
    }
    int bound = (int) Zstd.compressBound(writer.rawLength());
    if (scratch.length < bound) {
      // Grow in large steps: not a slightly larger array for each block.
      scratch = new byte[Math.max(bound, Math.min(2 * scratch.length, MOST_BYTES))];
    }
    int length =
        zstd.compressByteArray(scratch, 0, scratch.length, writer.raw(), 0, writer.rawLength());
    return writer.block(scratch, length);
  }

  @Override
  public void close() {
    zstd.close();
  }
}
