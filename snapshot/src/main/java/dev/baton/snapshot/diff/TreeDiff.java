/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.diff;

import dev.baton.snapshot.format.ChunkSource;
import dev.baton.snapshot.format.Entry;
import dev.baton.snapshot.format.Meta;
import dev.baton.snapshot.restore.OpenSnapshot;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What differs between two trees. Directories with the same node are not looked into, so the cost
 * is that of what differs. One use, one thread.
 */
public final class TreeDiff {
  /** Is told of every change. */
  @FunctionalInterface
  public interface Sink {
    void accept(Change change) throws IOException, InterruptedException;
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
   * Gives all changes to {@code sink} in walk order: a directory before what is in it, names in the
   * order of their bytes. A directory that was added or removed is followed by all that is in it.
   */
  public static void diff(OpenSnapshot before, OpenSnapshot after, Sink sink)
      throws IOException, InterruptedException {
    TreeDiff diff = new TreeDiff(before, after, sink);
    diff.both("", before.root(), after.root());
    while (!diff.levels.isEmpty()) {
      diff.step(diff.levels.getFirst());
    }
  }

  private void step(Level level) throws IOException, InterruptedException {
    Entry old = level.before.current();
    Entry now = level.after.current();
    if (old == null && now == null) {
      levels.pop();
      return;
    }
    int order = old == null ? 1 : now == null ? -1 : old.name().compareTo(now.name());
    Entry a = order <= 0 ? take(level.before) : null;
    Entry b = order >= 0 ? take(level.after) : null;
    String name = Objects.requireNonNull(a == null ? b : a).name();
    both(level.path.isEmpty() ? name : level.path + "/" + name, a, b);
  }

  private static @Nullable Entry take(EntryCursor cursor) throws IOException, InterruptedException {
    Entry entry = cursor.current();
    cursor.next();
    return entry;
  }

  private void both(String path, @Nullable Entry a, @Nullable Entry b)
      throws IOException, InterruptedException {
    if (a == null && b != null) {
      sink.accept(new Change.Added(path, b));
    } else if (a != null && b == null) {
      sink.accept(new Change.Removed(path, a));
    } else if (a != null && b != null) {
      Set<Change.Aspect> what = compare(a, b);
      if (!what.isEmpty()) {
        sink.accept(new Change.Changed(path, a, b, what));
      }
    }
    boolean same =
        a instanceof Entry.Directory x
            && b instanceof Entry.Directory y
            && x.node().equals(y.node());
    if (!same && (a instanceof Entry.Directory || b instanceof Entry.Directory)) {
      TreeList.requireDepth(levels.size(), path);
      levels.push(new Level(path, entries(before, a), entries(after, b)));
    }
  }

  private static EntryCursor entries(ChunkSource chunks, @Nullable Entry entry)
      throws IOException, InterruptedException {
    return entry instanceof Entry.Directory directory
        ? EntryCursor.of(chunks, directory.node())
        : EntryCursor.ofNothing();
  }

  private static Set<Change.Aspect> compare(Entry a, Entry b) {
    Set<Change.Aspect> what = EnumSet.noneOf(Change.Aspect.class);
    switch (a) {
      case Entry.Directory x when b instanceof Entry.Directory y ->
          compare(x.meta(), y.meta(), what);
      case Entry.File x when b instanceof Entry.File y -> {
        compare(x.meta(), y.meta(), what);
        add(Change.Aspect.CONTENT, x.content(), y.content(), what);
        add(Change.Aspect.CONTENT, x.size(), y.size(), what);
      }
      case Entry.Symlink x when b instanceof Entry.Symlink y -> {
        add(Change.Aspect.TARGET, x.target(), y.target(), what);
        add(Change.Aspect.MTIME, x.seconds(), y.seconds(), what);
        add(Change.Aspect.MTIME, x.nanos(), y.nanos(), what);
      }
      case Entry.HardLink x when b instanceof Entry.HardLink y ->
          add(Change.Aspect.TARGET, x.path(), y.path(), what);
      case Entry.Directory x -> what.add(Change.Aspect.TYPE);
      case Entry.File x -> what.add(Change.Aspect.TYPE);
      case Entry.Symlink x -> what.add(Change.Aspect.TYPE);
      case Entry.HardLink x -> what.add(Change.Aspect.TYPE);
    }
    return what;
  }

  private static void compare(Meta a, Meta b, Set<Change.Aspect> what) {
    add(Change.Aspect.MODE, a.mode(), b.mode(), what);
    add(Change.Aspect.MTIME, a.seconds(), b.seconds(), what);
    add(Change.Aspect.MTIME, a.nanos(), b.nanos(), what);
    add(Change.Aspect.OWNER, a.owner(), b.owner(), what);
    add(Change.Aspect.XATTRS, a.xattrs(), b.xattrs(), what);
  }

  private static void add(
      Change.Aspect aspect, @Nullable Object a, @Nullable Object b, Set<Change.Aspect> what) {
    if (!Objects.equals(a, b)) {
      what.add(aspect);
    }
  }
}
