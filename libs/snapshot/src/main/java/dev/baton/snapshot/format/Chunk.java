/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

/**
 * Bytes named by their SHA-256: the unit that is stored once. The array is borrowed: whoever gets a
 * chunk copies what it wants to keep before it returns.
 */
public record Chunk(Kind kind, Hash hash, byte[] bytes, int offset, int length) {
  /** Bytes of the largest chunk. */
  public static final int MAX = 8 << 20;

  /** What the chunk is for; decides which blocks it shares with others. */
  public enum Kind {
    /** Content of files. */
    DATA,
    /** Directory nodes and chunk lists: what listing and comparing trees need. */
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

  /** The chunk that is these bytes, hashed here. */
  public static Chunk of(Kind kind, byte[] bytes, int offset, int length) {
    return new Chunk(kind, Hash.of(bytes, offset, length), bytes, offset, length);
  }
}
