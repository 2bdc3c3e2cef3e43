/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.format.Hash;

/**
 * Refers to a pack, with the sizes that a reader needs to find the pack's index.
 *
 * @param id SHA-256 of the whole object
 * @param size of the object in bytes
 * @param indexBytes length of index and trailer, which are at the end of the object
 */
public record PackRef(Hash id, long size, int indexBytes) {
  /** Maximum size of a pack in bytes; captures write packs of at most a quarter of it. */
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
   * Hashes the id only, which identifies the pack. The generated method of a record is linked at
   * its first use, which would delay a failover.
   */
  @Override
  public int hashCode() {
    return id.hashCode();
  }
}
