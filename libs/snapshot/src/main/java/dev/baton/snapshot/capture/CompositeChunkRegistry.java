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
 * Which chunks the chunks name that consist of nothing but names: the leaves of large directories
 * and the data of files of many chunks. Whoever has the name of such a chunk needs those, too. One
 * entry for each large directory or file. Thread-safe.
 */
final class CompositeChunkRegistry {
  private final Map<Hash, List<Hash>> parts = new ConcurrentHashMap<>();

  void put(Hash composite, List<Hash> named) {
    parts.put(composite, List.copyOf(named));
  }

  /** Empty for a chunk that names no others. */
  List<Hash> partsOf(Hash chunk) {
    return parts.getOrDefault(chunk, List.of());
  }
}
