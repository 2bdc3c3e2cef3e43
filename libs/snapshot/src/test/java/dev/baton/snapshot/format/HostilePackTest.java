/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.github.luben.zstd.Zstd;
import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.SnapshotException.Corrupt;
import dev.baton.snapshot.SnapshotException.DigestMismatch;
import dev.baton.snapshot.SnapshotException.NotCanonical;
import dev.baton.snapshot.SnapshotException.TooLarge;
import dev.baton.snapshot.SnapshotException.TooManyEntries;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class HostilePackTest {
  private static final Hash HASH = Hash.of(new byte[] {1});
  private static final byte[] INTO = new byte[Chunk.MAX];
  private static final long GIB_100 = 100L << 30;

  @TestFactory
  Stream<DynamicTest> shouldRefusePacks() {
    return Stream.of(blocks(), chunks(), trailers(), frames())
        .flatMap(s -> s)
        .map(refusal -> dynamicTest(refusal.what(), refusal));
  }

  private static Stream<RefusedBytesCase> blocks() {
    return Stream.of(
        index("2^60 blocks", TooManyEntries.class, "1152921504606846976", out().varint(1L << 60)),
        index("blocks that are not there", Corrupt.class, "do not fit", out().varint(1000)),
        index("block of kind 'x'", Corrupt.class, "kind 120", out().varint(1).u8('x').u32le(0)),
        index("block of 100 GiB", TooLarge.class, "8388608", block(100, GIB_100)),
        index("block of 8 MiB + 1", TooLarge.class, "8388608", block(100, (8 << 20) + 1)),
        index("block of no bytes", TooLarge.class, "not 0", block(100, 0)),
        index("frame of 100 GiB", TooLarge.class, "compressed", block(GIB_100, 1)),
        index("frame of no bytes", TooLarge.class, "not 0", block(0, 1)),
        index("frame longer than the pack", Corrupt.class, "ends after", block(101, 1)),
        index("bytes that no block has", Corrupt.class, "blocks end at", block(99, 1)),
        index("block without chunks", Corrupt.class, "without chunks", block(100, 1).varint(0)));
  }

  private static Stream<RefusedBytesCase> chunks() {
    return Stream.of(
        index("2^60 chunks", TooManyEntries.class, "chunks", block(100, 9).varint(1L << 60)),
        index("chunks that are not there", Corrupt.class, "do not fit", block(100, 9).varint(99)),
        index("chunk of block 1 of 1", Corrupt.class, "block 1 of a pack of 1", one(1, 9)),
        index("chunk of block 2^31 - 1", Corrupt.class, "of a pack of 1", one((1L << 31) - 1, 9)),
        index("chunk of block 2^60", Corrupt.class, "at most", one(1L << 60, 9)),
        index("chunk longer than its block", Corrupt.class, "ends after its block", one(0, 10)),
        index("chunk of 100 GiB", TooLarge.class, "a chunk", one(0, GIB_100)),
        index("chunk of no bytes", TooLarge.class, "not 0", one(0, 0)),
        index("chunks shorter than their block", Corrupt.class, "are 8 bytes", one(0, 8)),
        index("bytes after the chunks", Corrupt.class, "too many", one(0, 9).u8(0)),
        index("blocks that descend", NotCanonical.class, "a chunk of block", descending()),
        index("long form of a number", NotCanonical.class, "longer", out().u8(0x80).u8(0).u8(0)));
  }

  private static ByteWriter descending() {
    ByteWriter out = out().varint(2).u8('d').varint(50).varint(1).u8('d').varint(50).varint(1);
    return out.varint(2).hash(HASH).varint(1).varint(1).hash(HASH).varint(0).varint(1);
  }

  private static Stream<RefusedBytesCase> trailers() {
    byte[] good = tail(one(0, 9));
    int indexBytes = good.length;
    long size = 104L + indexBytes;
    return Stream.of(
        tail("no trailer", "44 bytes", size, indexBytes, new byte[20]),
        tail("other end", "BPKX", size, indexBytes, changed(good, indexBytes - 1)),
        tail("another version", "format 3", size, indexBytes, changed(good, indexBytes - 8)),
        tail(
            "another length",
            "the trailer declares",
            size,
            indexBytes,
            changed(good, indexBytes - 12)),
        tail("length of 4 GiB", "in a pack of", size, indexBytes, changed(good, indexBytes - 9)),
        tail("another hash", "is not the one", size, indexBytes, changed(good, indexBytes - 44)),
        tail("a flipped bit", "is not the one", size, indexBytes, changed(good, 20)),
        tail("index longer than its pack", "in a pack of", 60, indexBytes, good),
        tail("another pack's", "blocks end at", size + 1, indexBytes, good),
        tail(
            "half an index",
            "available",
            size,
            indexBytes,
            Arrays.copyOfRange(good, 9, indexBytes)));
  }

  private static Stream<RefusedBytesCase> frames() {
    byte[] frame = Zstd.compress(new byte[1000]);
    byte[] two = Arrays.copyOf(frame, frame.length * 2);
    System.arraycopy(frame, 0, two, frame.length, frame.length);
    byte[] bomb = Zstd.compress(new byte[64 << 20]);
    byte[] noise = new byte[300];
    Arrays.fill(noise, (byte) 7);
    return Stream.of(
        frame("noise", Corrupt.class, "", noise, 1000),
        frame("nothing", Corrupt.class, "", new byte[0], 1000),
        frame("half a frame", Corrupt.class, "", Arrays.copyOf(frame, frame.length / 2), 1000),
        frame("two frames", Corrupt.class, "not one frame", two, 1000),
        frame("frame and more", Corrupt.class, "not one frame", Arrays.copyOf(frame, 99), 1000),
        frame("larger than declared", Corrupt.class, "of 1000 bytes", frame, 999),
        frame("smaller than declared", Corrupt.class, "of 1000 bytes", frame, 1001),
        frame("a bomb", Corrupt.class, "of 67108864 bytes", bomb, Chunk.MAX),
        frame("a bomb that lies", Corrupt.class, "", lying(bomb), Chunk.MAX),
        frame("100 MB", TooLarge.class, "8388608", frame, 100_000_000),
        new RefusedBytesCase(
            "another chunk",
            DigestMismatch.class,
            HASH.toString(),
            () -> BlockReader.check(HASH, new byte[] {2}, 0, 1)));
  }

  /** Sets the content size in the frame header (4 bytes at 5 or 6) to 8 MiB. */
  private static byte[] lying(byte[] bomb) {
    byte[] bytes = bomb.clone();
    boolean singleSegment = (bytes[4] & 0x20) != 0;
    int at = singleSegment ? 5 : 6;
    bytes[at] = 0;
    bytes[at + 1] = 0;
    bytes[at + 2] = (byte) 0x80;
    bytes[at + 3] = 0;
    return bytes;
  }

  private static RefusedBytesCase frame(
      String what,
      Class<? extends SnapshotException> error,
      String message,
      byte[] frame,
      int rawLength) {
    return new RefusedBytesCase(
        what,
        error,
        message,
        () -> {
          try (BlockReader reader = new BlockReader()) {
            reader.read(frame, 0, frame.length, INTO, rawLength);
          }
        });
  }

  private static RefusedBytesCase index(
      String what, Class<? extends SnapshotException> error, String message, ByteWriter index) {
    byte[] tail = tail(index);
    return new RefusedBytesCase(
        what,
        error,
        message,
        () -> PackIndex.decode(104L + tail.length, tail.length, tail, 0, tail.length));
  }

  private static RefusedBytesCase tail(
      String what, String message, long size, int indexBytes, byte[] tail) {
    return new RefusedBytesCase(
        "trailer: " + what,
        Corrupt.class,
        message,
        () -> PackIndex.decode(size, indexBytes, tail, 0, tail.length));
  }

  private static byte[] tail(ByteWriter index) {
    byte[] bytes = index.toBytes();
    return index.hash(Hash.of(bytes)).u32le(bytes.length).u32le(1).ascii("BPKX").toBytes();
  }

  private static byte[] changed(byte[] bytes, int at) {
    byte[] changed = bytes.clone();
    changed[at] ^= 2;
    return changed;
  }

  private static ByteWriter out() {
    return new ByteWriter(64);
  }

  /**
   * Builds an index with one block of these declared lengths, in a pack with 100 bytes of blocks.
   */
  private static ByteWriter block(long compressed, long raw) {
    return out().varint(1).u8('d').varint(compressed).varint(raw);
  }

  private static ByteWriter one(long block, long length) {
    return block(100, 9).varint(1).hash(HASH).varint(block).varint(length);
  }
}
