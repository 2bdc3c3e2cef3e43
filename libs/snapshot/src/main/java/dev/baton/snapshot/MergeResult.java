/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.util.List;

/** How a merge ended. */
public sealed interface MergeResult {

  /**
   * The target now holds what every branch did.
   *
   * @param added sorted, like the others
   * @param degraded owners and attributes that could not be taken over, for people; at most 1000
   */
  record Merged(
      List<TreePath> added, List<TreePath> modified, List<TreePath> deleted, List<String> degraded)
      implements MergeResult {
    public Merged {
      added = List.copyOf(added);
      modified = List.copyOf(modified);
      deleted = List.copyOf(deleted);
      degraded = List.copyOf(degraded);
    }
  }

  /** Branches disagree; the target is untouched. At least one clash, sorted by path. */
  record MergeConflict(List<Clash> clashes) implements MergeResult {
    public MergeConflict {
      clashes = List.copyOf(clashes);
    }

    /** One line for people: every path with the branches that changed it. */
    public String describe() {
      List<String> lines =
          clashes.stream()
              .map(c -> c.path() + " (" + String.join(", ", c.branches()) + ")")
              .toList();
      return "branches changed the same paths differently: " + String.join("; ", lines);
    }
  }

  /**
   * @param branches the names of those that disagree about the path, sorted
   */
  record Clash(TreePath path, List<String> branches) {
    public Clash {
      branches = List.copyOf(branches);
    }
  }
}
