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
 * The chunks that a capture need not store: those of which it is known in which pack they are, and
 * those that it is about to store itself. Thread-safe.
 */
final class KnownChunkIndex {
  private final ChunkTable table;
  private final Set<Hash> underWay = new HashSet<>();

  /**
   * @param table grows by what is found and stored; nobody else uses it meanwhile
   */
  KnownChunkIndex(ChunkTable table) {
    this.table = table;
  }

  /**
   * Whether the store has this chunk and all that it names as its parts, or will have before this
   * capture ends.
   */
  synchronized boolean isStored(Hash chunk, CompositeChunkRegistry composites) {
    return isStored(chunk) && composites.partsOf(chunk).stream().allMatch(this::isStored);
  }

  private boolean isStored(Hash chunk) {
    return table.contains(chunk) || underWay.contains(chunk);
  }

  /** As above, for all of a file. */
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

  /** Whether the caller has to store this chunk: nobody else does, and it is not stored yet. */
  synchronized boolean claim(Hash chunk) {
    return !table.contains(chunk) && underWay.add(chunk);
  }

  /** Chunks that the store has turned out to have. */
  synchronized void found(Map<Hash, PackRef> places) {
    places.forEach(
        (chunk, pack) -> {
          table.add(chunk, table.packNumber(pack));
          underWay.remove(chunk);
        });
  }

  /** Chunks that the store now has. */
  synchronized void stored(Pack pack) {
    int number = table.packNumber(pack.ref());
    for (Hash chunk : pack.chunks()) {
      table.add(chunk, number);
      underWay.remove(chunk);
    }
  }
}
