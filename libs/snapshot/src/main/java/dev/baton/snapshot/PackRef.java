/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.format.Hash;

/**
 * A pack, and what a reader must know to find its index.
 *
 * @param id SHA-256 of the whole object
 * @param size bytes of the object
 * @param indexBytes of index and trailer, at the object's end
 */
public record PackRef(Hash id, long size, int indexBytes) {
  /** Bytes that a pack can have; capture makes them of at most a quarter of that. */
  public static final int MAX_SIZE = 64 << 20;

  private static final int LEAST_INDEX = 46;

  public PackRef {
    if (indexBytes < LEAST_INDEX || size < indexBytes + 4L || size > MAX_SIZE) {
      throw new IllegalArgumentException(
          "a pack has at most %d bytes with an index of at least %d in them, not %d with %d"
              .formatted(MAX_SIZE, LEAST_INDEX, size, indexBytes));
    }
  }

  /**
   * As good as one of all parts. What a record has by itself is linked at its first use: slow in a
   * failover.
   */
  @Override
  public int hashCode() {
    return id.hashCode();
  }
}
