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

/** Where a capture puts packs. Thread-safe; blocks. */
public interface PackStore {
  /** The most chunks that one {@link #find} may ask for. */
  int MAX_FIND = 10_000;

  /**
   * Where the chunks are that the store has; those it lacks are not in the map.
   *
   * @param chunks at most {@link #MAX_FIND}
   */
  Map<Hash, PackRef> find(Collection<Hash> chunks) throws IOException, InterruptedException;

  /**
   * Returns once the pack is durable and known.
   *
   * @param pack its bytes are used for another one afterwards
   */
  void put(Pack pack) throws IOException, InterruptedException;
}
