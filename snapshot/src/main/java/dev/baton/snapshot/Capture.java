/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.util.List;

/**
 * A written archive.
 *
 * @param digest of the tree in it, {@code sha256:<hex>}
 * @param treeBytes file content, uncompressed
 * @param fileCount names that are not directories
 * @param storedBytes the archive's size
 * @param skipped what is not in it, or not for certain
 */
public record Capture(
    String digest, long treeBytes, long fileCount, long storedBytes, List<Skipped> skipped) {
  public Capture {
    skipped = List.copyOf(skipped);
  }
}
