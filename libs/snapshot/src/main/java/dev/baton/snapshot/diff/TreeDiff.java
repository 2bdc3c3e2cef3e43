/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.diff;

import dev.baton.snapshot.format.ChunkSource;
import dev.baton.snapshot.format.FileMetadata;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.restore.SnapshotReader;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares two trees. Skips directories with the same node, so the cost depends on what differs.
 * Single use, one thread.
 */
public final class TreeDiff {
  /** Receives every change. */
  @FunctionalInterface
  public interface Sink {
    void accept(TreeChange change) throws IOException, InterruptedException;
  }

  private record Level(String path, EntryCursor before, EntryCursor after) {}

  private final ChunkSource before;
  private final ChunkSource after;
  private final Sink sink;
  private final Deque<Level> levels = new ArrayDeque<>();

  private TreeDiff(ChunkSource before, ChunkSource after, Sink sink) {
    this.before = before;
    this.after = after;
    this.sink = sink;
  }

  /**
   * Passes all changes to {@code sink} in walk order: a directory before its entries, names in the
   * order of their bytes. A directory that was added or removed is followed by all its entries.
   */
  public static void diff(SnapshotReader before, SnapshotReader after, Sink sink)
      throws IOException, InterruptedException {
    TreeDiff diff = new TreeDiff(before, after, sink);
    diff.both("", before.root(), after.root());
    while (!diff.levels.isEmpty()) {
      diff.step(diff.levels.getFirst());
    }
  }

  private void step(Level level) throws IOException, InterruptedException {
    NodeEntry old = level.before.current();
    NodeEntry now = level.after.current();
    if (old == null && now == null) {
      levels.pop();
      return;
    }
    int order = old == null ? 1 : now == null ? -1 : old.name().compareTo(now.name());
    NodeEntry a = order <= 0 ? take(level.before) : null;
    NodeEntry b = order >= 0 ? take(level.after) : null;
    String name = Objects.requireNonNull(a == null ? b : a).name();
    both(level.path.isEmpty() ? name : level.path + "/" + name, a, b);
  }

  private static @Nullable NodeEntry take(EntryCursor cursor)
      throws IOException, InterruptedException {
    NodeEntry entry = cursor.current();
    cursor.next();
    return entry;
  }

  private void both(String path, @Nullable NodeEntry a, @Nullable NodeEntry b)
      throws IOException, InterruptedException {
    if (a == null && b != null) {
      sink.accept(new TreeChange.Added(path, b));
    } else if (a != null && b == null) {
      sink.accept(new TreeChange.Removed(path, a));
    } else if (a != null && b != null) {
      Set<TreeChange.Aspect> what = compare(a, b);
      if (!what.isEmpty()) {
        sink.accept(new TreeChange.Changed(path, a, b, what));
      }
    }
    boolean same =
        a instanceof NodeEntry.Directory x
            && b instanceof NodeEntry.Directory y
            && x.node().equals(y.node());
    if (!same && (a instanceof NodeEntry.Directory || b instanceof NodeEntry.Directory)) {
      SnapshotWalker.requireDepth(levels.size(), path);
      levels.push(new Level(path, entries(before, a), entries(after, b)));
    }
  }

  private static EntryCursor entries(ChunkSource chunks, @Nullable NodeEntry entry)
      throws IOException, InterruptedException {
    return entry instanceof NodeEntry.Directory directory
        ? EntryCursor.of(chunks, directory.node())
        : EntryCursor.ofNothing();
  }

  private static Set<TreeChange.Aspect> compare(NodeEntry a, NodeEntry b) {
    Set<TreeChange.Aspect> what = EnumSet.noneOf(TreeChange.Aspect.class);
    switch (a) {
      case NodeEntry.Directory x when b instanceof NodeEntry.Directory y ->
          compare(x.meta(), y.meta(), what);
      case NodeEntry.File x when b instanceof NodeEntry.File y -> {
        compare(x.meta(), y.meta(), what);
        add(TreeChange.Aspect.CONTENT, x.content(), y.content(), what);
        add(TreeChange.Aspect.CONTENT, x.size(), y.size(), what);
      }
      case NodeEntry.Symlink x when b instanceof NodeEntry.Symlink y -> {
        add(TreeChange.Aspect.TARGET, x.target(), y.target(), what);
        add(TreeChange.Aspect.MTIME, x.seconds(), y.seconds(), what);
        add(TreeChange.Aspect.MTIME, x.nanos(), y.nanos(), what);
      }
      case NodeEntry.HardLink x when b instanceof NodeEntry.HardLink y ->
          add(TreeChange.Aspect.TARGET, x.path(), y.path(), what);
      case NodeEntry.Directory x -> what.add(TreeChange.Aspect.TYPE);
      case NodeEntry.File x -> what.add(TreeChange.Aspect.TYPE);
      case NodeEntry.Symlink x -> what.add(TreeChange.Aspect.TYPE);
      case NodeEntry.HardLink x -> what.add(TreeChange.Aspect.TYPE);
    }
    return what;
  }

  private static void compare(FileMetadata a, FileMetadata b, Set<TreeChange.Aspect> what) {
    add(TreeChange.Aspect.MODE, a.mode(), b.mode(), what);
    add(TreeChange.Aspect.MTIME, a.seconds(), b.seconds(), what);
    add(TreeChange.Aspect.MTIME, a.nanos(), b.nanos(), what);
    add(TreeChange.Aspect.OWNER, a.owner(), b.owner(), what);
    add(TreeChange.Aspect.XATTRS, a.xattrs(), b.xattrs(), what);
  }

  private static void add(
      TreeChange.Aspect aspect,
      @Nullable Object a,
      @Nullable Object b,
      Set<TreeChange.Aspect> what) {
    if (!Objects.equals(a, b)) {
      what.add(aspect);
    }
  }
}
