/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

/**
 * Splits the data of a file into chunks: FastCDC with normalized chunking of level 2. Equal data in
 * two files (or two versions of one) is split at the same places, at any offset.
 */
public final class FastCdcChunker {
  /** Maximum size of data (a file, or the data between two holes) that is stored as one chunk. */
  public static final int WHOLE = 512 << 10;

  public static final int MIN = 256 << 10;
  public static final int AVERAGE = 1 << 20;
  public static final int MAX = 4 << 20;

  /** ASCII "BatonCDC". Never changes: chunk boundaries, and so deduplication, depend on it. */
  static final long SEED = 0x4261746f6e434443L;

  private static final long[] GEAR = gear();

  private FastCdcChunker() {}

  /**
   * Returns the length of the chunk that begins at {@code offset}.
   *
   * @param available number of bytes from {@code offset} on: at least the maximum size, or all
   *     remaining data
   * @return 1 to the maximum size; 0 if nothing is available
   */
  public static int next(byte[] bytes, int offset, int available, ChunkSizes sizes) {
    if (available <= sizes.min()) {
      return available;
    }
    int start = offset + sizes.min();
    int middle = offset + Math.min(available, sizes.average());
    int end = offset + Math.min(available, sizes.max());
    // The upper bits of the fingerprint depend on the most bytes. Two bits more than the average
    // requires before it, two fewer after it, keep sizes close to it.
    long before = -1L << (Long.SIZE - sizes.averageBits() - 2);
    long after = -1L << (Long.SIZE - sizes.averageBits() + 2);
    long print = 0;
    int at = start;
    while (at < middle) {
      print = (print << 1) + GEAR[bytes[at++] & 0xff];
      if ((print & before) == 0) {
        return at - offset;
      }
    }
    while (at < end) {
      print = (print << 1) + GEAR[bytes[at++] & 0xff];
      if ((print & after) == 0) {
        return at - offset;
      }
    }
    return end - offset;
  }

  /** Returns the first 256 numbers of SplitMix64 seeded with {@link #SEED}. */
  private static long[] gear() {
    long[] gear = new long[256];
    long state = SEED;
    for (int i = 0; i < gear.length; i++) {
      state += 0x9e3779b97f4a7c15L;
      long z = (state ^ (state >>> 30)) * 0xbf58476d1ce4e5b9L;
      z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
      gear[i] = z ^ (z >>> 31);
    }
    return gear;
  }
}
