/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.packs;

import dev.baton.snapshot.format.Hash;
import dev.baton.store.failure.StoreRequestException;

/**
 * A pack as its runner registers it.
 *
 * @param indexBytes of index and trailer
 * @param chunks the hashes of its chunks, 32 bytes each; not copied
 */
public record PackRegistration(Hash digest, long sizeBytes, int indexBytes, byte[] chunks) {
  /** Maximum size of a pack in bytes. */
  public static final long LARGEST = 64 << 20;

  /** Maximum number of chunks in a pack. */
  public static final int MOST_CHUNKS = 100_000;

  private static final int TRAILER = 44;

  /**
   * @throws StoreRequestException that names what is wrong and what is allowed
   */
  public PackRegistration {
    if (sizeBytes < TRAILER || sizeBytes > LARGEST) {
      throw StoreRequestException.invalid(
          "size_bytes %d of pack %s is not between %d and %d"
              .formatted(sizeBytes, digest, TRAILER, LARGEST));
    }
    if (indexBytes < TRAILER || indexBytes > sizeBytes) {
      throw StoreRequestException.invalid(
          "index_bytes %d of pack %s is not between %d and its size"
              .formatted(indexBytes, digest, TRAILER));
    }
    if (chunks.length % Hash.BYTES != 0 || chunks.length > MOST_CHUNKS * Hash.BYTES) {
      throw StoreRequestException.invalid(
          "chunks of pack %s has %d bytes, allowed are 32 for each of at most %d"
              .formatted(digest, chunks.length, MOST_CHUNKS));
    }
  }
}
