/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import dev.baton.snapshot.Pack;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.PackSource;
import dev.baton.snapshot.PackStore;
import dev.baton.snapshot.format.Hash;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps packs in memory, for a capture that is not stored. Thread-safe. */
final class MemoryPackStore implements PackStore, PackSource {
  private final Map<Hash, byte[]> all = new ConcurrentHashMap<>();

  @Override
  public Map<Hash, PackRef> find(Collection<Hash> chunks) {
    return Map.of();
  }

  @Override
  public void put(Pack pack) {
    all.put(pack.ref().id(), Arrays.copyOf(pack.bytes(), pack.length()));
  }

  @Override
  public void read(PackRef pack, long offset, byte[] into, int length) throws IOException {
    byte[] bytes = all.get(pack.id());
    if (bytes == null) {
      throw new IOException("pack not found: " + pack.id());
    }
    System.arraycopy(bytes, (int) offset, into, 0, length);
  }
}
