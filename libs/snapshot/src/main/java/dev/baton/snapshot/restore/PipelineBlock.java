/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import org.jspecify.annotations.Nullable;

/**
 * A block that a segment needs. Its mutable state is guarded by the monitor of the {@link
 * RestorePipeline}.
 */
final class PipelineBlock {
  private static final int LEAST_CAPACITY = 64 << 10;

  final int pack;
  final int number;

  /** Decompressed length in bytes. */
  final int rawLength;

  /** Length of the array in bytes: block lengths vary, array lengths rarely do. */
  final int capacity;

  /** Number of segments that still need the block. */
  int uses;

  /**
   * The decompressed bytes, at the start of an array that may be longer; null until they are
   * loaded.
   */
  byte @Nullable [] bytes;

  PipelineBlock(int pack, int number, int rawLength) {
    this.pack = pack;
    this.number = number;
    this.rawLength = rawLength;
    this.capacity = capacity(rawLength);
  }

  /** Returns the next power of two, so that later blocks can reuse the array. */
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
