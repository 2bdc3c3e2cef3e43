/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Locates a directory in a tree by its chain of parents: trees are too deep for recursion, or for a
 * path string at each level.
 */
record DirectoryPosition(@Nullable DirectoryPosition parent, String name, DirState state) {
  DirectoryPosition below(int i, DirState child) {
    return new DirectoryPosition(this, state.name(i), child);
  }

  /** Returns the path, raw, from the root; empty or ending in a slash. */
  String prefix() {
    List<String> names = new ArrayList<>();
    for (DirectoryPosition at = this; at != null && at.parent != null; at = at.parent) {
      names.add(at.name);
    }
    StringBuilder path = new StringBuilder();
    for (String each : names.reversed()) {
      path.append(each).append('/');
    }
    return path.toString();
  }
}
