/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.posix.FileKind;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Selects the first name of each file, in walk order; the other names are hard links to it. Enters
 * only directories with such files below them.
 */
final class HardLinkResolver {
  private record Inode(long device, long inode) {}

  private final Map<Inode, String> firstNames = new HashMap<>();
  private final Deque<Step> way = new ArrayDeque<>();

  private HardLinkResolver() {}

  /** Returns the same object if nothing changes. */
  static DirState assigned(DirState root) {
    return root.linksBelow() ? new HardLinkResolver().walk(root) : root;
  }

  private DirState walk(DirState root) {
    way.push(new Step(new DirectoryPosition(null, "", root)));
    while (true) {
      Step step = way.getFirst();
      DirState below = step.goOn(firstNames);
      if (below != null) {
        way.push(new Step(step.place.below(step.at, below)));
        continue;
      }
      way.pop();
      DirState done = step.result();
      if (way.isEmpty()) {
        return done;
      }
      way.getFirst().replace(done);
    }
  }

  /** The state of one directory during the walk. */
  private static final class Step {
    private final DirectoryPosition place;
    private final DirState directory;
    private int at = -1;
    private DirectoryEntryTable entries;
    private @Nullable DirState[] children;
    private @Nullable String prefix;

    Step(DirectoryPosition place) {
      this.place = place;
      directory = place.state();
      entries = directory.entries();
      children = directory.children();
    }

    /** Continues to the next subdirectory to enter; returns null at the end. */
    @Nullable DirState goOn(Map<Inode, String> firstNames) {
      for (at++; at < entries.count; at++) {
        DirState child = directory.childOrNull(at);
        if (child != null && child.linksBelow()) {
          return child;
        }
        if (entries.extra(at).links() > 1
            && directory.kind(at) == FileKind.FILE
            && directory.isPresent(at)) {
          assign(firstNames);
        }
      }
      return null;
    }

    private void assign(Map<Inode, String> firstNames) {
      String in = prefix == null ? place.prefix() : prefix;
      prefix = in;
      ExtraAttributes extra = entries.extra(at);
      String path = in + directory.name(at);
      String first = firstNames.putIfAbsent(new Inode(extra.device(), entries.inode(at)), path);
      if (!Objects.equals(first, extra.linkTo())) {
        if (entries == directory.entries()) {
          entries = new DirectoryEntryTable(entries, new boolean[entries.count]);
        }
        entries.extra(at, extra.linkedTo(first));
      }
    }

    void replace(DirState child) {
      if (directory.childOrNull(at) != child) {
        children = children == directory.children() ? children.clone() : children;
        children[at] = child;
      }
    }

    DirState result() {
      return entries == directory.entries() && children == directory.children()
          ? directory
          : directory.with(entries, children);
    }
  }
}
