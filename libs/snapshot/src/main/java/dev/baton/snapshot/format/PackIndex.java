/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.SnapshotException.Corrupt;
import dev.baton.snapshot.SnapshotException.NotCanonical;
import dev.baton.snapshot.SnapshotException.TooLarge;
import java.util.ArrayList;
import java.util.List;

/**
 * Locates the blocks and chunks of a pack. Immutable. A chunk takes 44 bytes of memory.
 *
 * <p>The index is at the end of the pack, before a trailer of {@link #TRAILER} bytes.
 */
public final class PackIndex {
  /** Size in bytes of the trailer: hash and length of the index, version, magic. */
  public static final int TRAILER = 44;

  static final String MAGIC = "BPK1";
  static final String END_MAGIC = "BPKX";
  static final int VERSION = 1;
  private static final int LEAST_BLOCK = 3;
  private static final int LEAST_CHUNK = Hash.BYTES + 2;
  // zstd adds up to 32 KiB to 8 MiB of incompressible data.
  private static final int MAX_FRAME = Chunk.MAX + (64 << 10);

  private final List<BlockSpan> blocks;
  private final long[] hashes;
  private final int[] places;

  private PackIndex(List<BlockSpan> blocks, long[] hashes, int[] places) {
    this.blocks = List.copyOf(blocks);
    this.hashes = hashes;
    this.places = places;
  }

  /** Returns the blocks in the order of the pack. */
  public List<BlockSpan> blocks() {
    return blocks;
  }

  public int chunkCount() {
    return places.length / 3;
  }

  public Hash hash(int chunk) {
    int i = chunk * 4;
    return new Hash(hashes[i], hashes[i + 1], hashes[i + 2], hashes[i + 3]);
  }

  /** Returns the number of the chunk's block in {@link #blocks}. */
  public int block(int chunk) {
    return places[chunk * 3];
  }

  /** Returns the offset of the chunk in its decompressed block. */
  public int offset(int chunk) {
    return places[chunk * 3 + 1];
  }

  public int length(int chunk) {
    return places[chunk * 3 + 2];
  }

  /**
   * Decodes the index of a pack.
   *
   * @param tail the last {@code pack.indexBytes()} bytes of the pack, or more
   * @throws Corrupt if they are not the index that the trailer refers to, or do not fit the pack
   */
  public static PackIndex decode(PackRef pack, byte[] tail) throws SnapshotException {
    return decode(pack.size(), pack.indexBytes(), tail, 0, tail.length);
  }

  /** Decodes the index from a part of an array. */
  public static PackIndex decode(
      long packSize, int indexBytes, byte[] bytes, int offset, int length)
      throws SnapshotException {
    int found = indexBytes(bytes, offset, length, packSize);
    if (found != indexBytes || found > length) {
      throw new Corrupt(
          "pack index: the trailer declares %d bytes, %d expected, %d available"
              .formatted(found, indexBytes, length));
    }
    int start = offset + length - indexBytes;
    int indexLength = indexBytes - TRAILER;
    Hash said = Hash.read(bytes, start + indexLength);
    if (!Hash.of(bytes, start, indexLength).equals(said)) {
      throw new Corrupt("pack index: is not the one with hash %s from the trailer".formatted(said));
    }
    ByteReader in = new ByteReader("pack index", bytes, start, indexLength);
    List<BlockSpan> blocks = blocks(in, packSize - indexBytes);
    PackIndex index = chunks(in, blocks);
    in.end();
    return index;
  }

  /**
   * Reads the length of index and trailer from the trailer.
   *
   * @param bytes contains the last {@code length} bytes of the pack, starting at {@code offset}, at
   *     least {@link #TRAILER}
   * @throws Corrupt if they do not end with a trailer, or its length exceeds the pack
   */
  public static int indexBytes(byte[] bytes, int offset, int length, long packSize)
      throws SnapshotException {
    if (length < TRAILER) {
      throw new Corrupt("pack trailer: is %d bytes, not %d".formatted(TRAILER, length));
    }
    int at = offset + length - TRAILER + Hash.BYTES;
    ByteReader in = new ByteReader("pack trailer", bytes, at, TRAILER - Hash.BYTES);
    long indexLength = in.u32le() & 0xffff_ffffL;
    int version = in.u32le();
    in.magic(END_MAGIC);
    if (version != VERSION) {
      throw new Corrupt(
          "pack trailer: format %s, %d is known"
              .formatted(Integer.toUnsignedString(version), VERSION));
    }
    if (indexLength < 2 || indexLength + TRAILER + MAGIC.length() > packSize) {
      throw new Corrupt(
          "pack trailer: an index of %d bytes in a pack of %d".formatted(indexLength, packSize));
    }
    return (int) indexLength + TRAILER;
  }

  /**
   * Computes the reference of a whole pack from its bytes; checks magic and index, not the blocks.
   */
  public static PackRef identify(byte[] pack, int length) throws SnapshotException {
    if (length > PackRef.MAX_SIZE) {
      throw new TooLarge("pack: at most %d bytes, not %d".formatted(PackRef.MAX_SIZE, length));
    }
    int indexBytes = indexBytes(pack, 0, length, length);
    new ByteReader("pack", pack, 0, length).magic(MAGIC);
    PackRef ref = new PackRef(Hash.of(pack, 0, length), length, indexBytes);
    decode(length, indexBytes, pack, 0, length);
    return ref;
  }

  private static List<BlockSpan> blocks(ByteReader in, long blocksEnd) throws SnapshotException {
    int count = in.count(Integer.MAX_VALUE, LEAST_BLOCK, "blocks");
    List<BlockSpan> blocks = new ArrayList<>(count);
    long offset = MAGIC.length();
    for (int i = 0; i < count; i++) {
      int kind = in.u8();
      if (kind != 'd' && kind != 'n') {
        throw new Corrupt(in.message("a block of kind %d; 'd' and 'n' are known".formatted(kind)));
      }
      int compressed = positive(in, MAX_FRAME, "the compressed length of a block");
      int raw = positive(in, Chunk.MAX, "the length of a block");
      if (offset + compressed > blocksEnd) {
        throw new Corrupt(in.message("block %d ends after the pack's blocks".formatted(i)));
      }
      blocks.add(
          new BlockSpan(
              kind == 'd' ? Chunk.Kind.DATA : Chunk.Kind.NODE, (int) offset, compressed, raw));
      offset += compressed;
    }
    if (offset != blocksEnd) {
      throw new Corrupt(
          in.message("blocks end at %d, the index begins at %d".formatted(offset, blocksEnd)));
    }
    return blocks;
  }

  private static int positive(ByteReader in, int most, String part) throws SnapshotException {
    long value = in.varint64();
    if (value < 1 || value > most) {
      throw new TooLarge(
          in.message("%s is 1 to %d, not %s".formatted(part, most, Long.toUnsignedString(value))));
    }
    return (int) value;
  }

  private static PackIndex chunks(ByteReader in, List<BlockSpan> blocks) throws SnapshotException {
    int count = in.count(Integer.MAX_VALUE, LEAST_CHUNK, "chunks");
    long[] hashes = new long[count * 4];
    int[] places = new int[count * 3];
    int block = -1;
    int filled = 0;
    for (int i = 0; i < count; i++) {
      Hash hash = in.hash();
      hashes[i * 4] = hash.a();
      hashes[i * 4 + 1] = hash.b();
      hashes[i * 4 + 2] = hash.c();
      hashes[i * 4 + 3] = hash.d();
      int of = (int) in.varint(Integer.MAX_VALUE, "the number of a block");
      if (of != block) {
        requireFull(in, blocks, block, filled);
        requireNext(in, blocks, block, of);
        block = of;
        filled = 0;
      }
      int length = positive(in, Chunk.MAX, "the length of a chunk");
      if (length > blocks.get(block).rawLength() - filled) {
        throw new Corrupt(in.message("chunk %d ends after its block".formatted(i)));
      }
      places[i * 3] = block;
      places[i * 3 + 1] = filled;
      places[i * 3 + 2] = length;
      filled += length;
    }
    requireFull(in, blocks, block, filled);
    if (block != blocks.size() - 1) {
      throw new Corrupt(in.message("a block without chunks"));
    }
    return new PackIndex(blocks, hashes, places);
  }

  private static void requireNext(ByteReader in, List<BlockSpan> blocks, int block, int next)
      throws SnapshotException {
    if (next >= blocks.size()) {
      throw new Corrupt(in.message("block %d of a pack of %d".formatted(next, blocks.size())));
    }
    if (next != block + 1) {
      throw new NotCanonical(
          in.message("a chunk of block %d after one of block %d".formatted(next, block)));
    }
  }

  private static void requireFull(ByteReader in, List<BlockSpan> blocks, int block, int filled)
      throws SnapshotException {
    if (block >= 0 && filled != blocks.get(block).rawLength()) {
      throw new Corrupt(
          in.message(
              "chunks of block %d are %d bytes, it has %d"
                  .formatted(block, filled, blocks.get(block).rawLength())));
    }
  }
}
