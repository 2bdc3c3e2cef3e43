/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import org.jspecify.annotations.Nullable;

/**
 * A block that some segment needs. Its mutable state belongs to the {@link RestorePipeline}'s
 * monitor.
 */
final class PipelineBlock {
  private static final int LEAST_CAPACITY = 64 << 10;

  final int pack;
  final int number;

  /** Bytes, unpacked. */
  final int rawLength;

  /** Bytes of the array for them: blocks are hardly ever of the same length, most arrays are. */
  final int capacity;

  /** Segments that still need it. */
  int uses;

  /** The unpacked bytes, from the start of a maybe longer array; null until they are there. */
  byte @Nullable [] bytes;

  PipelineBlock(int pack, int number, int rawLength) {
    this.pack = pack;
    this.number = number;
    this.rawLength = rawLength;
    this.capacity = capacity(rawLength);
  }

  /** The next power of two: the array fits the next block, too. */
  private static int capacity(int length) {
    return Math.max(LEAST_CAPACITY, Integer.highestOneBit(length - 1) << 1);
  }

  static long key(int pack, int number) {
    return (long) pack << 32 | number;
  }

  long key() {
    return key(pack, number);
  }
}
