/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

/**
 * Bytes identified by their SHA-256: the unit of deduplication. The array is borrowed: a receiver
 * copies the bytes that it keeps before it returns.
 */
public record Chunk(Kind kind, Hash hash, byte[] bytes, int offset, int length) {
  /** Maximum size of a chunk in bytes. */
  public static final int MAX = 8 << 20;

  /** The use of a chunk; only chunks of one kind share a block. */
  public enum Kind {
    /** File content. */
    DATA,
    /** Directory nodes and chunk lists, which suffice to list and compare trees. */
    NODE
  }

  /**
   * @throws IllegalArgumentException if it is empty or larger than {@link #MAX}
   */
  public Chunk {
    if (length < 1 || length > MAX) {
      throw new IllegalArgumentException("a chunk is 1 to %d bytes, not %d".formatted(MAX, length));
    }
  }

  /** Creates a chunk from these bytes and computes its hash. */
  public static Chunk of(Kind kind, byte[] bytes, int offset, int length) {
    return new Chunk(kind, Hash.of(bytes, offset, length), bytes, offset, length);
  }
}
