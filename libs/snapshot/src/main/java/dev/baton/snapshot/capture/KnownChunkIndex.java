/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.Pack;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.format.ChunkTable;
import dev.baton.snapshot.format.Extent;
import dev.baton.snapshot.format.FileContent;
import dev.baton.snapshot.format.Hash;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Tracks the chunks that a capture need not store: those with a known pack, and those that this
 * capture is about to store. Thread-safe.
 */
final class KnownChunkIndex {
  private final ChunkTable table;
  private final Set<Hash> underWay = new HashSet<>();

  /**
   * @param table receives the chunks that are found and stored; not used elsewhere meanwhile
   */
  KnownChunkIndex(ChunkTable table) {
    this.table = table;
  }

  /**
   * Returns whether the store has this chunk and all chunks that it refers to, or will have them at
   * the end of this capture.
   */
  synchronized boolean isStored(Hash chunk, CompositeChunkRegistry composites) {
    return isStored(chunk) && composites.partsOf(chunk).stream().allMatch(this::isStored);
  }

  private boolean isStored(Hash chunk) {
    return table.contains(chunk) || underWay.contains(chunk);
  }

  /** Returns the same for all chunks of a file. */
  boolean isStored(FileContent content, CompositeChunkRegistry composites) {
    return switch (content) {
      case FileContent.Inline(List<Extent> extents) -> isStored(extents);
      case FileContent.Listed(Hash list) ->
          !composites.partsOf(list).isEmpty() && isStored(list, composites);
    };
  }

  private synchronized boolean isStored(List<Extent> extents) {
    for (Extent extent : extents) {
      if (extent instanceof Extent.Data data && !isStored(data.chunk())) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether the caller must store this chunk: it is not stored, and no other thread has
   * claimed it.
   */
  synchronized boolean claim(Hash chunk) {
    return !table.contains(chunk) && underWay.add(chunk);
  }

  /** Records chunks that the store already has. */
  synchronized void found(Map<Hash, PackRef> places) {
    places.forEach(
        (chunk, pack) -> {
          table.add(chunk, table.packNumber(pack));
          underWay.remove(chunk);
        });
  }

  /** Records the chunks of a pack that was just stored. */
  synchronized void stored(Pack pack) {
    int number = table.packNumber(pack.ref());
    for (Hash chunk : pack.chunks()) {
      table.add(chunk, number);
      underWay.remove(chunk);
    }
  }
}
