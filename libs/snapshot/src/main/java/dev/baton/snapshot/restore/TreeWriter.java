/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.format.NodeReader;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.RawName;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Walks the nodes of a tree and plans the writing of all entries. Single use, one thread; holds the
 * directories on the current path and their subdirectories, never the whole tree.
 */
final class TreeWriter {
  private record Child(PendingDirectory parent, NodeEntry.Directory entry) {}

  private final NodeReader nodes;
  private final RestoredFileWriter files;
  private final SegmentPlanner planner;
  private final DirectoryFinalizer ends;
  private final HardLinkRestorer links = new HardLinkRestorer();
  private final RestoreBudget budget;
  private final Deque<Child> todo = new ArrayDeque<>();

  TreeWriter(
      NodeReader nodes,
      RestoredFileWriter files,
      SegmentPlanner planner,
      DirectoryFinalizer ends,
      RestoreBudget budget) {
    this.nodes = nodes;
    this.files = files;
    this.planner = planner;
    this.ends = ends;
    this.budget = budget;
  }

  /** Plans all files; the writers of the pipeline write them. */
  HardLinkRestorer walk(NodeEntry.Directory root, OpenDirectory into)
      throws IOException, InterruptedException {
    fill(ends.opened(new PendingDirectory(null, root, into)));
    for (Child child = todo.pollLast(); child != null; child = todo.pollLast()) {
      fill(ends.opened(files.mkdir(child.parent, child.entry)));
    }
    planner.submit();
    return links;
  }

  private void fill(PendingDirectory directory) throws IOException, InterruptedException {
    if (directory.depth > NodeEntry.MAX_DEPTH) {
      throw new SnapshotException.TooDeep(
          "directories nested deeper than %d: '%s'"
              .formatted(NodeEntry.MAX_DEPTH, RawName.display(directory.path())));
    }
    Deque<Child> children = new ArrayDeque<>();
    nodes.read(directory.entry.node(), entry -> add(directory, entry, children));
    // The last element is the next one: this gives the order of names.
    while (!children.isEmpty()) {
      todo.add(children.removeLast());
    }
    ends.release(directory);
  }

  private void add(PendingDirectory directory, NodeEntry entry, Deque<Child> children)
      throws IOException, InterruptedException {
    budget.entry(directory, entry);
    switch (entry) {
      case NodeEntry.Directory child -> {
        directory.retain();
        children.add(new Child(directory, child));
      }
      case NodeEntry.File file -> planner.file(directory, file);
      case NodeEntry.Symlink link -> planner.symlink(directory, link);
      case NodeEntry.HardLink link -> links.add(directory, link);
    }
  }
}
