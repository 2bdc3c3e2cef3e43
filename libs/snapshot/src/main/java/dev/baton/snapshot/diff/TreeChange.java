/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.diff;

import dev.baton.snapshot.format.NodeEntry;
import java.util.Set;

/** A path at which two trees differ; raw, from the root, empty for the root. */
public sealed interface TreeChange {
  String path();

  /** Only the second tree has it. */
  record Added(String path, NodeEntry entry) implements TreeChange {}

  /** Only the first tree has it. */
  record Removed(String path, NodeEntry entry) implements TreeChange {}

  /**
   * Both trees have it, and the aspects in {@code what} differ, at least one. Entries of a
   * directory have separate changes.
   */
  record Changed(String path, NodeEntry before, NodeEntry after, Set<Aspect> what)
      implements TreeChange {
    public Changed {
      what = Set.copyOf(what);
      if (what.isEmpty()) {
        throw new IllegalArgumentException("nothing differs at '" + path + "'");
      }
    }
  }

  /** The aspects that are compared. */
  enum Aspect {
    /** Bytes of a file. */
    CONTENT,
    /** Permission bits. */
    MODE,
    /** Modification time. */
    MTIME,
    /** User or group. */
    OWNER,
    /** Extended attributes. */
    XATTRS,
    /** Kind: file, directory, symbolic link or hard link; no other aspect is compared then. */
    TYPE,
    /** Target of a symbolic or hard link. */
    TARGET
  }
}
