/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.util.List;

/** The result of a merge. */
public sealed interface MergeResult {

  /**
   * The target now has the changes of every branch.
   *
   * @param added sorted, like the others
   * @param degraded owners and attributes that could not be kept, as readable text; at most 1000
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

  /** The branches conflict; the target is untouched. At least one conflict, sorted by path. */
  record MergeConflict(List<Clash> clashes) implements MergeResult {
    public MergeConflict {
      clashes = List.copyOf(clashes);
    }

    /** Describes the conflict in one line: every path with the branches that changed it. */
    public String describe() {
      List<String> lines =
          clashes.stream()
              .map(c -> c.path() + " (" + String.join(", ", c.branches()) + ")")
              .toList();
      return "branches changed the same paths differently: " + String.join("; ", lines);
    }
  }

  /**
   * @param branches the names of the branches that disagree about the path, sorted
   */
  record Clash(TreePath path, List<String> branches) {
    public Clash {
      branches = List.copyOf(branches);
    }
  }
}
