/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.verify;

import dev.baton.protocol.digest.Digest;
import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.format.BlockReader;
import dev.baton.snapshot.format.BlockSpan;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.PackIndex;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.packs.PackRow;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.DigestInputStream;
import java.security.MessageDigest;

/**
 * Reads every byte of a pack once and compares all digests: of the object, of the index and of each
 * chunk. Holds one block in memory at a time. Blocks.
 */
final class PackChecker {
  private static final int MAGIC = 4;

  /** The result of a check. */
  sealed interface Verdict {
    record Right(PackIndex index, int indexBytes) implements Verdict {}

    record Wrong(String what) implements Verdict {}
  }

  /** More than 100 times of the largest pack, and 500 times of those that a runner writes. */
  private static final long MOST_RAW_BYTES = 8L << 30;

  private final BucketClient bucket;

  PackChecker(BucketClient bucket) {
    this.bucket = bucket;
  }

  /**
   * @throws StoreRequestException UNAVAILABLE if the object store does not respond, which is not a
   *     verdict
   */
  Verdict check(PackRow pack) {
    try {
      PackIndex index = PackFileReader.index(bucket, pack.key(), pack.sizeBytes());
      requireBounded(index, MOST_RAW_BYTES);
      return RetryingReader.insist("read " + pack.key(), () -> read(pack, index));
    } catch (SnapshotException e) {
      return new Verdict.Wrong(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw StoreRequestException.unavailable("could not read " + pack.key() + ": " + e);
    } catch (StoreRequestException e) {
      if (e.kind() == StoreRequestException.Kind.NOT_FOUND) {
        return new Verdict.Wrong("its object is not there");
      }
      throw e;
    }
  }

  /**
   * Requires that the blocks do not decompress to more than this: one pack is checked at a time, so
   * all others would wait.
   */
  static void requireBounded(PackIndex index, long mostRawBytes) throws SnapshotException {
    long raw = index.blocks().stream().mapToLong(BlockSpan::rawLength).sum();
    if (raw > mostRawBytes) {
      throw new SnapshotException.TooLarge(
          "it decompresses to %,d bytes, allowed are %,d".formatted(raw, mostRawBytes));
    }
  }

  private Verdict read(PackRow pack, PackIndex index) throws IOException {
    MessageDigest digest = Digest.sha256();
    String wrong = null;
    try (InputStream in =
            new DigestInputStream(bucket.open(pack.key(), 0, pack.sizeBytes()), digest);
        BlockReader reader = new BlockReader()) {
      skip(in, MAGIC);
      try {
        chunks(index, in, reader);
      } catch (SnapshotException e) {
        // The remaining bytes are read anyway, to distinguish a wrong object from a wrong index.
        wrong = e.getMessage();
      }
      in.transferTo(OutputStream.nullOutputStream());
    }
    Hash actual = Hash.read(digest.digest(), 0);
    if (!actual.equals(pack.digest())) {
      String what = "its object has digest " + actual;
      return new Verdict.Wrong(wrong == null ? what : what + "; " + wrong);
    }
    BlockSpan last = index.blocks().getLast();
    long blocksEnd = (long) last.offset() + last.compressedLength();
    return wrong == null
        ? new Verdict.Right(index, Math.toIntExact(pack.sizeBytes() - blocksEnd))
        : new Verdict.Wrong(wrong);
  }

  private static void chunks(PackIndex index, InputStream in, BlockReader reader)
      throws IOException {
    byte[] frame = new byte[0];
    byte[] raw = new byte[0];
    int chunk = 0;
    for (int i = 0; i < index.blocks().size(); i++) {
      BlockSpan block = index.blocks().get(i);
      frame = room(frame, block.compressedLength());
      raw = room(raw, block.rawLength());
      if (in.readNBytes(frame, 0, block.compressedLength()) < block.compressedLength()) {
        throw new EOFException("the object ended within block " + i);
      }
      reader.read(frame, 0, block.compressedLength(), raw, block.rawLength());
      for (; chunk < index.chunkCount() && index.block(chunk) == i; chunk++) {
        BlockReader.check(index.hash(chunk), raw, index.offset(chunk), index.length(chunk));
      }
    }
  }

  private static byte[] room(byte[] bytes, int length) {
    return bytes.length >= length ? bytes : new byte[length];
  }

  private static void skip(InputStream in, int count) throws IOException {
    if (in.readNBytes(count).length < count) {
      throw new EOFException("the object has less than " + count + " bytes");
    }
  }
}
