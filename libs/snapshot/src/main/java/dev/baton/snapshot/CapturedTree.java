/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.util.List;

/**
 * A stored tree.
 *
 * @param storedBytes of packs that this capture put; 0 where nothing was new
 * @param changedFiles that were read
 * @param skipped what is not in it, or not for certain
 * @param leftOut raw paths of what the rules leave out of it, and nothing of what is below these
 */
public record CapturedTree(
    Snapshot snapshot,
    long storedBytes,
    long changedFiles,
    List<SkippedEntry> skipped,
    List<String> leftOut) {
  public CapturedTree {
    skipped = List.copyOf(skipped);
    leftOut = List.copyOf(leftOut);
  }
}
