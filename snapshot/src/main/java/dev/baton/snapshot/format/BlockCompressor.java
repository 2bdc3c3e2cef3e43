/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;

/** Compresses blocks; one per thread, since it keeps zstd's tables and a buffer between them. */
public final class BlockCompressor implements AutoCloseable {
  private static final int LEVEL = 3;

  // The level's tables have 64 Ki and 128 Ki entries of four bytes. A quarter of each stays in a
  // processor's second cache: about a quarter less time, and up to 3 percent more bytes on the
  // trees that were tried.
  private static final int SHORT_TABLE_BITS = 14;
  private static final int LONG_TABLE_BITS = 15;

  // The level's is 5. A tenth less time for compressing, a twentieth for decompressing, and up to 2
  // percent more bytes: most matches in text are longer.
  private static final int SHORTEST_MATCH = 6;

  private static final int MOST_BYTES = (int) Zstd.compressBound(BlockWriter.TARGET);

  private final ZstdCompressCtx zstd =
      new ZstdCompressCtx()
          .setLevel(LEVEL)
          .setChainLog(SHORT_TABLE_BITS)
          .setHashLog(LONG_TABLE_BITS)
          .setMinMatch(SHORTEST_MATCH)
          .setChecksum(false)
          .setContentSize(true);
  private byte[] scratch = new byte[0];

  /**
   * The block of what {@code writer} has, which is left as it is; good until the next one.
   *
   * @throws IllegalArgumentException if it has nothing
   */
  public Block compress(BlockWriter writer) {
    if (writer.isEmpty()) {
      throw new IllegalArgumentException("a block must have a chunk");
    }
    int bound = (int) Zstd.compressBound(writer.rawLength());
    if (scratch.length < bound) {
      // Not a little larger than the last one each time.
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
