/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.format.Hash;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Maps composite chunks to the chunks that they refer to: nodes of large directories to their
 * leaves, chunk lists of files to their data. A stored composite requires those chunks, too. One
 * entry for each large directory or file. Thread-safe.
 */
final class CompositeChunkRegistry {
  private final Map<Hash, List<Hash>> parts = new ConcurrentHashMap<>();

  void put(Hash composite, List<Hash> named) {
    parts.put(composite, List.copyOf(named));
  }

  /** Returns an empty list for a chunk that is not a composite. */
  List<Hash> partsOf(Hash chunk) {
    return parts.getOrDefault(chunk, List.of());
  }
}
