/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.SnapshotException.Corrupt;
import dev.baton.snapshot.SnapshotException.DigestMismatch;
import dev.baton.snapshot.SnapshotException.TooLarge;

/** Decompresses blocks into a buffer of the caller; one instance per thread. */
public final class BlockReader implements AutoCloseable {
  private final ZstdDecompressCtx zstd = new ZstdDecompressCtx();

  /**
   * Decompresses a block to the first {@code rawLength} bytes of {@code into}; never writes beyond.
   *
   * @param bytes contains the frame: {@code length} bytes, starting at {@code offset}
   * @throws Corrupt if these bytes are not exactly one frame of {@code rawLength} bytes
   * @throws TooLarge if {@code rawLength} is above {@link Chunk#MAX}
   * @throws IllegalArgumentException if {@code into} is smaller than {@code rawLength}
   */
  public void read(byte[] bytes, int offset, int length, byte[] into, int rawLength)
      throws SnapshotException {
    if (rawLength < 1 || rawLength > Chunk.MAX) {
      throw new TooLarge("block: 1 to %d bytes, not %d".formatted(Chunk.MAX, rawLength));
    }
    if (into.length < rawLength) {
      throw new IllegalArgumentException(
          "a block of %d bytes does not fit in %d".formatted(rawLength, into.length));
    }
    if (length < 1) {
      throw new Corrupt("block: no bytes");
    }
    int got;
    try {
      requireOneFrame(bytes, offset, length, rawLength);
      got = zstd.decompressByteArray(into, 0, rawLength, bytes, offset, length);
    } catch (ZstdException e) {
      throw new Corrupt("block: cannot be decompressed", e);
    }
    if (got != rawLength) {
      throw new Corrupt("block: %d bytes, the pack index has %d".formatted(got, rawLength));
    }
  }

  private static void requireOneFrame(byte[] bytes, int offset, int length, int rawLength)
      throws SnapshotException {
    long said = Zstd.getFrameContentSize(bytes, offset, length);
    if (said != rawLength) {
      throw new Corrupt(
          "block: a frame of %d bytes, the pack index has %d".formatted(said, rawLength));
    }
    if (Zstd.findFrameCompressedSize(bytes, offset, length) != length) {
      throw new Corrupt("block: %d bytes are not one frame".formatted(length));
    }
  }

  /**
   * Checks bytes against the hash of their chunk.
   *
   * @throws DigestMismatch if the bytes are not the chunk of this hash
   */
  public static void check(Hash chunk, byte[] bytes, int offset, int length)
      throws SnapshotException {
    Hash actual = Hash.of(bytes, offset, length);
    if (!actual.equals(chunk)) {
      throw new DigestMismatch("chunk %s has digest %s".formatted(chunk, actual));
    }
  }

  @Override
  public void close() {
    zstd.close();
  }
}
