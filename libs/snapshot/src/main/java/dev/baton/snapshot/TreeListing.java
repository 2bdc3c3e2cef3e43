/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.util.List;

/** Lists every entry of a tree, sorted by raw path, the root first. */
public record TreeListing(List<TreeEntry> entries) {
  public TreeListing {
    entries = List.copyOf(entries);
  }
}
