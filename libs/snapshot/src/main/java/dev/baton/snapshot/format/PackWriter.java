/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import dev.baton.snapshot.Pack;
import dev.baton.snapshot.PackRef;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Puts blocks into packs. Thread-confined (the blocks may have been compressed anywhere). Holds one
 * pack.
 */
public final class PackWriter {
  /** Bytes of the largest pack that is written. */
  public static final int TARGET = 16 << 20;

  private static final int FIRST_CAPACITY = 64 << 10;

  /** Of a pack that becomes larger than that, the array becomes as large as any pack at once. */
  private static final int GROWN = 1 << 20;

  // Two counts of at most five bytes.
  private static final int FIXED = 4 + 10 + PackIndex.TRAILER;

  private final int target;
  private final List<Hash> chunks = new ArrayList<>();
  private ByteWriter out = new ByteWriter(FIRST_CAPACITY);
  private byte @Nullable [] spare;
  private final ByteWriter blocksPart = new ByteWriter(256);
  private final ByteWriter chunksPart = new ByteWriter(4096);
  private int blocks;

  public PackWriter() {
    this(TARGET);
  }

  /**
   * @param target bytes at which a pack is full; one block is put into a pack however large it is
   */
  PackWriter(int target) {
    this.target = target;
    out.ascii(PackIndex.MAGIC);
  }

  public boolean isEmpty() {
    return blocks == 0;
  }

  /** Bytes of the pack as it is now, without its index. */
  public int length() {
    return out.length();
  }

  /**
   * Gives back the array of a pack that nobody needs any more: the next pack is made in it. Arrays
   * of this size are what a small heap suffers from most.
   */
  public void reuse(byte[] array) {
    if (spare == null || array.length > spare.length) {
      spare = array;
    }
  }

  /** Takes the block; the pack before it, if that is full now. */
  public @Nullable Pack append(CompressedBlock block) {
    Pack full = null;
    int more = block.frameLength() + 11 + block.chunks().size() * (Hash.BYTES + 9);
    int size = FIXED + out.length() + blocksPart.length() + chunksPart.length();
    if (blocks > 0 && size + more > target) {
      full = finish();
    }
    if (out.length() + block.frameLength() > GROWN) {
      out.reserve(target);
    }
    out.put(block.frame(), 0, block.frameLength());
    blocksPart.u8(block.kind() == Chunk.Kind.DATA ? 'd' : 'n');
    blocksPart.varint(block.frameLength()).varint(block.rawLength());
    for (int i = 0; i < block.chunks().size(); i++) {
      chunksPart.hash(block.chunks().get(i)).varint(blocks).varint(block.lengths()[i]);
    }
    chunks.addAll(block.chunks());
    blocks++;
    return full;
  }

  /** The last pack; null if there is no block in it. */
  public @Nullable Pack finish() {
    if (blocks == 0) {
      return null;
    }
    int start = out.length();
    out.varint(blocks).put(blocksPart.array(), 0, blocksPart.length());
    out.varint(chunks.size()).put(chunksPart.array(), 0, chunksPart.length());
    int length = out.length() - start;
    out.hash(Hash.of(out.array(), start, length)).u32le(length);
    out.u32le(PackIndex.VERSION).ascii(PackIndex.END_MAGIC);
    Hash id = Hash.of(out.array(), 0, out.length());
    PackRef ref = new PackRef(id, out.length(), out.length() - start);
    Pack pack = new Pack(ref, out.array(), out.length(), chunks);
    // The pack keeps the array.
    out = new ByteWriter(spare == null ? new byte[FIRST_CAPACITY] : spare).ascii(PackIndex.MAGIC);
    spare = null;
    blocksPart.truncate(0);
    chunksPart.truncate(0);
    chunks.clear();
    blocks = 0;
    return pack;
  }
}
