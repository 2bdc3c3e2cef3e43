/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.util.List;

/**
 * Describes a captured tree.
 *
 * @param storedBytes total size of the packs that this capture uploaded; 0 if no chunk was new
 * @param changedFiles number of files that were read
 * @param skipped entries that were not captured, or possibly captured inconsistently
 * @param leftOut raw paths that the rules exclude, without the paths below them
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
