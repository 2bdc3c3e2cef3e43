/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * Collects chunks of one kind for a block: small files compress better, and are read faster,
 * together. Not thread-safe, but may be passed between threads; reusable after {@link #clear}.
 * Holds at most {@link #TARGET} bytes, or one larger chunk.
 */
public final class BlockWriter {
  /** Target size of a block, in bytes of chunks. */
  public static final int TARGET = 4 << 20;

  private final Chunk.Kind kind;
  private final List<Hash> chunks = new ArrayList<>();
  private int[] lengths = new int[64];
  private byte[] raw = new byte[64 << 10];
  private int rawLength;

  public BlockWriter(Chunk.Kind kind) {
    this.kind = kind;
  }

  public boolean isEmpty() {
    return rawLength == 0;
  }

  public int rawLength() {
    return rawLength;
  }

  /** Returns whether a chunk of this length still fits; the first chunk always does. */
  public boolean fits(int length) {
    return rawLength == 0 || rawLength + length <= TARGET;
  }

  /**
   * Copies the chunk's bytes.
   *
   * @throws IllegalArgumentException if it is of another kind or does not {@linkplain #fits fit}
   */
  public void add(Chunk chunk) {
    if (chunk.kind() != kind || !fits(chunk.length())) {
      throw new IllegalArgumentException(
          "%s chunk of %d bytes does not fit in a %s block of %d"
              .formatted(chunk.kind(), chunk.length(), kind, rawLength));
    }
    int end = rawLength + chunk.length();
    if (end > raw.length) {
      raw = Arrays.copyOf(raw, Math.max(end, Math.min(raw.length * 2, Chunk.MAX)));
    }
    System.arraycopy(chunk.bytes(), chunk.offset(), raw, rawLength, chunk.length());
    rawLength = end;
    if (chunks.size() == lengths.length) {
      lengths = Arrays.copyOf(lengths, lengths.length * 2);
    }
    lengths[chunks.size()] = chunk.length();
    chunks.add(chunk.hash());
  }

  /** Returns the current chunks, in order. */
  public List<Hash> chunks() {
    return List.copyOf(chunks);
  }

  /** Removes matching chunks. */
  public void removeIf(Predicate<Hash> unwanted) {
    int kept = 0;
    int end = 0;
    int start = 0;
    for (int i = 0; i < chunks.size(); i++) {
      int length = lengths[i];
      Hash chunk = chunks.get(i);
      if (!unwanted.test(chunk)) {
        System.arraycopy(raw, start, raw, end, length);
        lengths[kept] = length;
        chunks.set(kept++, chunk);
        end += length;
      }
      start += length;
    }
    chunks.subList(kept, chunks.size()).clear();
    rawLength = end;
  }

  public void clear() {
    chunks.clear();
    rawLength = 0;
  }

  byte[] raw() {
    return raw;
  }

  CompressedBlock block(byte[] frame, int length) {
    return new CompressedBlock(
        kind, frame, length, rawLength, chunks, Arrays.copyOf(lengths, chunks.size()));
  }
}
