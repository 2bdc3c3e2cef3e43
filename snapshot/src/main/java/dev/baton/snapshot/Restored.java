/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.util.List;

/**
 * A finished restore, checked against its digest.
 *
 * @param leftovers why the tree that was at the target before could not be removed entirely, at
 *     most 20 lines; it lies beside the target, named {@code .baton-old-*}
 */
public record Restored(String digest, long treeBytes, long fileCount, List<String> leftovers) {
  public Restored {
    leftovers = List.copyOf(leftovers);
  }
}
