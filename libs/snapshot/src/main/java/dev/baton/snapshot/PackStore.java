/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.format.Hash;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;

/** Stores the packs of a capture. Thread-safe; blocks. */
public interface PackStore {
  /** Maximum number of chunks in one call of {@link #find}. */
  int MAX_FIND = 10_000;

  /**
   * Returns the packs of those chunks that the store has; missing chunks are not in the map.
   *
   * @param chunks at most {@link #MAX_FIND}
   */
  Map<Hash, PackRef> find(Collection<Hash> chunks) throws IOException, InterruptedException;

  /**
   * Stores a pack; returns once it is durable and {@link #find} returns its chunks.
   *
   * @param pack its array is reused for another pack after the call
   */
  void put(Pack pack) throws IOException, InterruptedException;
}
