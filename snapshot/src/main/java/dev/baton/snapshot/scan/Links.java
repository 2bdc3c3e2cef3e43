/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.posix.Kind;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides which name of a file is its first one: the first in the order of a walk. The others are
 * hard links to it. Looks only at directories with such files below them. Recursion is as deep as
 * the tree, which is bounded.
 */
final class Links {
  private record Inode(long device, long inode) {}

  private final Map<Inode, String> firstNames = new HashMap<>();

  private Links() {}

  /** The tree itself where nothing is to be changed. */
  static DirState assigned(DirState root) {
    return root.linksBelow() ? new Links().assign(root, "") : root;
  }

  private DirState assign(DirState directory, String prefix) {
    Entries entries = directory.entries();
    Entries mine = entries;
    @Nullable DirState[] children = directory.children();
    for (int i = 0; i < entries.count; i++) {
      DirState child = directory.childOrNull(i);
      if (child != null && child.linksBelow()) {
        DirState assigned = assign(child, prefix + directory.name(i) + "/");
        if (assigned != child) {
          children = children == directory.children() ? children.clone() : children;
          children[i] = assigned;
        }
      } else if (entries.extra(i).links() > 1 && isFile(directory, i)) {
        Extra extra = entries.extra(i);
        String path = prefix + directory.name(i);
        String first = firstNames.putIfAbsent(new Inode(extra.device(), entries.inode(i)), path);
        if (!Objects.equals(first, extra.linkTo())) {
          mine = mine == entries ? new Entries(entries, new boolean[entries.count]) : mine;
          mine.extra(i, extra.linkedTo(first));
        }
      }
    }
    return mine == entries && children == directory.children()
        ? directory
        : directory.with(mine, children);
  }

  private static boolean isFile(DirState directory, int i) {
    return directory.kind(i) == Kind.FILE && directory.isPresent(i);
  }
}
