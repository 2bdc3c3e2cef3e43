/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.format.Hash;
import java.util.List;

/**
 * Describes everything that a restore needs.
 *
 * @param root digest of the tree
 * @param packs all packs that contain its chunks
 * @param treeBytes sum of the sizes of its files, each counted once
 * @param fileCount number of names that are not directories
 */
public record Snapshot(Hash root, List<PackRef> packs, long treeBytes, long fileCount) {
  public Snapshot {
    packs = List.copyOf(packs);
  }
}
