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

/** Writes blocks to packs. Thread-confined (any thread may compress the blocks). Holds one pack. */
public final class PackWriter {
  /** Maximum size of a written pack in bytes. */
  public static final int TARGET = 16 << 20;

  private static final int FIRST_CAPACITY = 64 << 10;

  /** If a pack grows beyond this size in bytes, its array grows to the maximum size at once. */
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
   * @param target size in bytes at which a pack is full; a block of any size fits into an empty
   *     pack
   */
  PackWriter(int target) {
    this.target = target;
    out.ascii(PackIndex.MAGIC);
  }

  /** Returns the current size of the pack in bytes, without its index. */
  public int length() {
    return out.length();
  }

  /**
   * Recycles the array of a pack that is no longer in use for the next pack. Repeated allocation of
   * arrays of this size is the largest load on a small heap.
   */
  public void reuse(byte[] array) {
    if (spare == null || array.length > spare.length) {
      spare = array;
    }
  }

  /** Appends the block; returns the previous pack if the block does not fit into it. */
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

  /** Returns the last pack; null if it has no block. */
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
    // The returned pack keeps the array.
    out = new ByteWriter(spare == null ? new byte[FIRST_CAPACITY] : spare).ascii(PackIndex.MAGIC);
    spare = null;
    blocksPart.truncate(0);
    chunksPart.truncate(0);
    chunks.clear();
    blocks = 0;
    return pack;
  }
}
