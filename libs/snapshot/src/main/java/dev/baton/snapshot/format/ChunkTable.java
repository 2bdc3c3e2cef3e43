/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import dev.baton.snapshot.PackRef;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Maps chunks to their location: pack and, if the pack's index was added, block, offset and length.
 * About 56 bytes of memory per chunk. Not thread-safe while it changes; any number of threads may
 * read it after safe publication.
 */
public final class ChunkTable {
  /** Result of {@link #find} for a chunk that is not in the table. */
  public static final int ABSENT = -1;

  private static final int SEGMENT_BITS = 12;
  private static final int SEGMENT = 1 << SEGMENT_BITS;

  private final List<PackRef> packs = new ArrayList<>();
  private final List<List<BlockSpan>> blocks = new ArrayList<>();
  private final Map<Hash, Integer> packNumbers = new HashMap<>();
  // Entries are in segments, so that growth copies nothing; four longs and four ints each.
  private final List<long[]> hashes = new ArrayList<>();
  private final List<int[]> places = new ArrayList<>();
  // Open addressing: entry number + 1, 0 if free; at most two thirds full.
  private int[] slots = new int[1024];
  private int size;

  public int size() {
    return size;
  }

  /** Returns the packs in the order of their numbers. */
  public List<PackRef> packs() {
    return Collections.unmodifiableList(packs);
  }

  /** Returns the number of a pack, from 0; equal packs have the same number. */
  public int packNumber(PackRef pack) {
    Integer known = packNumbers.putIfAbsent(pack.id(), packs.size());
    if (known != null) {
      return known;
    }
    packs.add(pack);
    blocks.add(List.of());
    return packs.size() - 1;
  }

  /** Returns the blocks of a pack; empty if its index was not added. */
  public List<BlockSpan> blocks(int pack) {
    return blocks.get(pack);
  }

  /** Adds all chunks of a pack; chunks that are already in the table keep their location. */
  public void addAll(PackRef pack, PackIndex index) {
    int number = packNumber(pack);
    blocks.set(number, index.blocks());
    for (int i = 0; i < index.chunkCount(); i++) {
      add(index.hash(i), number, index.block(i), index.offset(i), index.length(i));
    }
  }

  /**
   * Adds a chunk of which only the pack is known; returns false if the table already has the chunk.
   */
  public boolean add(Hash chunk, int pack) {
    return add(chunk, pack, ABSENT, 0, 0);
  }

  private boolean add(Hash chunk, int pack, int block, int offset, int length) {
    int slot = slot(chunk);
    if (slots[slot] != 0) {
      return false;
    }
    if ((size & (SEGMENT - 1)) == 0) {
      hashes.add(new long[SEGMENT * 4]);
      places.add(new int[SEGMENT * 4]);
    }
    long[] h = hashes.get(size >>> SEGMENT_BITS);
    int at = (size & (SEGMENT - 1)) * 4;
    h[at] = chunk.a();
    h[at + 1] = chunk.b();
    h[at + 2] = chunk.c();
    h[at + 3] = chunk.d();
    int[] p = places.get(size >>> SEGMENT_BITS);
    p[at] = pack;
    p[at + 1] = block;
    p[at + 2] = offset;
    p[at + 3] = length;
    slots[slot] = ++size;
    if (size > slots.length / 3 * 2) {
      grow();
    }
    return true;
  }

  /** Returns the number of the chunk's entry, or {@link #ABSENT}. */
  public int find(Hash chunk) {
    return slots[slot(chunk)] - 1;
  }

  public boolean contains(Hash chunk) {
    return find(chunk) != ABSENT;
  }

  public Hash hash(int entry) {
    long[] h = hashes.get(entry >>> SEGMENT_BITS);
    int at = (entry & (SEGMENT - 1)) * 4;
    return new Hash(h[at], h[at + 1], h[at + 2], h[at + 3]);
  }

  /** Returns the number of the pack. */
  public int pack(int entry) {
    return place(entry, 0);
  }

  /** Returns the number of the block in its pack, {@link #ABSENT} if only the pack is known. */
  public int block(int entry) {
    return place(entry, 1);
  }

  /** Returns the offset in the decompressed block. */
  public int offset(int entry) {
    return place(entry, 2);
  }

  public int length(int entry) {
    return place(entry, 3);
  }

  private int place(int entry, int field) {
    return places.get(entry >>> SEGMENT_BITS)[(entry & (SEGMENT - 1)) * 4 + field];
  }

  /** Returns the chunk's slot, or the free slot for it. */
  private int slot(Hash chunk) {
    int mask = slots.length - 1;
    int slot = chunk.hashCode() & mask;
    while (slots[slot] != 0 && !isAt(slots[slot] - 1, chunk)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private boolean isAt(int entry, Hash chunk) {
    long[] h = hashes.get(entry >>> SEGMENT_BITS);
    int at = (entry & (SEGMENT - 1)) * 4;
    return h[at] == chunk.a()
        && h[at + 1] == chunk.b()
        && h[at + 2] == chunk.c()
        && h[at + 3] == chunk.d();
  }

  private void grow() {
    slots = new int[slots.length * 2];
    int mask = slots.length - 1;
    for (int entry = 0; entry < size; entry++) {
      int slot = hash(entry).hashCode() & mask;
      while (slots[slot] != 0) {
        slot = (slot + 1) & mask;
      }
      slots[slot] = entry + 1;
    }
  }
}
