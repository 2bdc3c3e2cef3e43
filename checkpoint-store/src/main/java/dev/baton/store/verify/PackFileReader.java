/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.verify;

import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.format.BlockReader;
import dev.baton.snapshot.format.BlockSpan;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.PackIndex;
import dev.baton.store.objects.BucketClient;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** Reads parts of packs from the object store. Blocks. */
public final class PackFileReader {
  /** Large enough for most indexes, so that one request returns trailer and index. */
  private static final int FIRST_TAIL = 128 << 10;

  private PackFileReader() {}

  /**
   * Reads the index at the pack's end.
   *
   * @throws SnapshotException with the reason if the pack is damaged
   */
  public static PackIndex index(BucketClient bucket, String key, long size) throws IOException {
    byte[] tail =
        read(bucket, key, size - Math.min(size, FIRST_TAIL), (int) Math.min(size, FIRST_TAIL));
    int length = PackIndex.indexBytes(tail, 0, tail.length, size);
    if (length > tail.length) {
      tail = read(bucket, key, size - length, length);
    }
    return PackIndex.decode(size, length, tail, 0, tail.length);
  }

  /** Returns the hashes of all its chunks in order, 32 bytes each. */
  public static byte[] hashes(PackIndex index) {
    byte[] all = new byte[index.chunkCount() * Hash.BYTES];
    for (int i = 0; i < index.chunkCount(); i++) {
      index.hash(i).write(all, i * Hash.BYTES);
    }
    return all;
  }

  /** Reads the raw bytes of a block. */
  static byte[] block(BucketClient bucket, String key, BlockSpan block, BlockReader reader)
      throws IOException {
    byte[] frame = read(bucket, key, block.offset(), block.compressedLength());
    byte[] raw = new byte[block.rawLength()];
    reader.read(frame, 0, frame.length, raw, raw.length);
    return raw;
  }

  private static byte[] read(BucketClient bucket, String key, long offset, int length)
      throws IOException {
    return RetryingReader.insist(
        "read " + key,
        () -> {
          try (InputStream in = bucket.open(key, offset, (long) length)) {
            byte[] bytes = in.readNBytes(length);
            if (bytes.length < length) {
              throw new EOFException(
                  "%s ended after %d of %d bytes".formatted(key, bytes.length, length));
            }
            return bytes;
          }
        });
  }
}
