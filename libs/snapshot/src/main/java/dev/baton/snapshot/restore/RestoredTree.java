/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.format.ChunkTable;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.scan.DirState;
import java.util.List;
import java.util.Map;

/**
 * A completed restore: verified and in place.
 *
 * @param root the snapshot's digest
 * @param treeBytes sum of the sizes of its files, each counted once
 * @param fileCount files and links
 * @param degraded attributes that could not be restored (owners, extended attributes, special
 *     bits), with the reason; at most 1,000 lines
 * @param degradedCount total number of these attributes
 * @param leftovers why the previous tree of the target could not be removed completely, at most 20
 *     lines; the rest is next to the target, named {@code .baton-old-*}
 * @param state of the target; the next capture can start from it
 * @param chunks location of all chunks of the snapshot's packs
 * @param composites the composite chunks of large directories and files, with the chunks that they
 *     refer to
 */
public record RestoredTree(
    Hash root,
    long treeBytes,
    long fileCount,
    List<String> degraded,
    long degradedCount,
    List<String> leftovers,
    DirState state,
    ChunkTable chunks,
    Map<Hash, List<Hash>> composites) {
  public RestoredTree {
    degraded = List.copyOf(degraded);
    leftovers = List.copyOf(leftovers);
    composites = Map.copyOf(composites);
  }
}
