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
 * A finished restore: verified and in place.
 *
 * @param root the snapshot's digest
 * @param treeBytes sum of the sizes of its files, each counted once
 * @param fileCount files and links
 * @param degraded what could not be set as it was (owners, extended attributes, special bits), with
 *     the reason; at most 1,000 lines
 * @param degradedCount how many there were
 * @param leftovers why the tree that was at the target before could not be removed entirely, at
 *     most 20 lines; it lies beside the target, named {@code .baton-old-*}
 * @param state what lies at the target: whence the next capture of it may start
 * @param chunks where all chunks of the snapshot's packs are
 * @param composites of the tree's large directories and files: which chunks the chunk names that
 *     stands for them
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
