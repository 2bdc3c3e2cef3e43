/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.git.GitTrackedFileChecker;
import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Scans one directory. A thread reads its entries; then each of its subdirectories is a task. The
 * thread that completes the last of them builds the state of the directory and continues with the
 * parent.
 */
final class ScanTask {
  static final int MAX_DEPTH = NodeEntry.MAX_DEPTH;

  private final TreeScanExecutor scan;
  private final @Nullable ScanTask parent;
  private final int index;
  private final String name;
  private final int depth;
  private final IgnoreRuleSet inherited;

  /** The previous state of this directory: matched by name first, later by inode. */
  private @Nullable DirState previous;

  /** Whether this directory or one above was moved: patterns may match differently. */
  private boolean moved;

  private @Nullable OpenDirectory directory;
  private @Nullable DirectoryScanResult look;
  private @Nullable DirState[] children = new DirState[0];
  private int cursor;
  private final AtomicInteger unopened = new AtomicInteger();
  private final AtomicInteger unfinished = new AtomicInteger();
  private boolean @Nullable [] gone;
  private final List<ScanProblem> lateNotes = new ArrayList<>();

  /** Creates the task of the root. */
  ScanTask(TreeScanExecutor scan, @Nullable DirState previous, IgnoreRuleSet rules) {
    this(scan, null, 0, "", 0, rules, previous, false);
  }

  private ScanTask(
      TreeScanExecutor scan,
      @Nullable ScanTask parent,
      int index,
      String name,
      int depth,
      IgnoreRuleSet inherited,
      @Nullable DirState previous,
      boolean moved) {
    this.scan = scan;
    this.parent = parent;
    this.index = index;
    this.name = name;
    this.depth = depth;
    this.inherited = inherited;
    this.previous = previous;
    this.moved = moved;
  }

  void run(StatBuffer stat) throws IOException {
    OpenDirectory opened = open(stat);
    if (opened == null) {
      return;
    }
    directory = opened;
    long began = System.currentTimeMillis();
    opened.stat(stat);
    recognise(stat);
    DirState last = previous;
    DirectoryScanResult seen =
        last == null || moved || !isRepositoryCurrent(last)
            ? null
            : DirectoryScanResult.again(opened, stat, last, inherited);
    if (seen == null) {
      try {
        seen =
            new DirectoryRescan(scan, opened, last, prefix(), depth == MAX_DEPTH, began)
                .look(inherited);
      } catch (PosixException e) {
        ScanTask above = parent;
        if (above == null || !e.isAbsent()) {
          throw e;
        }
        // The directory was removed after it was opened.
        scan.close(opened);
        above.childDone(index, null, e);
        return;
      }
    }
    look = seen;
    DirectoryEntryTable entries = seen.entries();
    children = new DirState[entries.count];
    int directories = 0;
    for (int i = 0; i < entries.count; i++) {
      directories += entries.kind(i) == FileKind.DIRECTORY ? 1 : 0;
    }
    if (directories == 0) {
      scan.close(opened);
      end(this);
    } else {
      unopened.set(directories);
      unfinished.set(directories);
      skipToDirectory();
      scan.push(this);
    }
  }

  /** The tracked files of a repository can change without any change in its work tree. */
  private boolean isRepositoryCurrent(DirState last) {
    GitTrackedFileChecker files = last.rules().tracked();
    return files == null || files == inherited.tracked() || files.isCurrent();
  }

  private void recognise(StatBuffer stat) {
    DirState byName = previous;
    if (byName == null || byName.self().inode() != stat.inode) {
      DirState former = scan.former(stat);
      if (former != null) {
        previous = former;
        moved = true;
      }
    }
  }

  /** Returns null if the directory cannot be entered; the task is then complete. */
  private @Nullable OpenDirectory open(StatBuffer stat) throws IOException {
    ScanTask above = parent;
    if (above == null) {
      return scan.opened(OpenDirectory.open(scan.root()));
    }
    OpenDirectory from = above.opened();
    try {
      return scan.opened(from.openChild(name));
    } catch (PosixException e) {
      if (e.isExhausted()) {
        throw e;
      }
      boolean there =
          !e.isAbsent() && from.statIfPresent(name, stat) && stat.kind() == FileKind.DIRECTORY;
      above.childDone(index, there ? closed(from, stat, e) : null, e);
      return null;
    } finally {
      above.childOpened();
    }
  }

  /** Creates the state of a directory that cannot be opened: captured without content. */
  private DirState closed(OpenDirectory from, StatBuffer stat, PosixException e)
      throws IOException {
    List<ScanProblem> notes = List.of(DirectoryScanResult.unreadable("", e));
    DirectoryStat self =
        FileAttributeReader.self(stat, FileAttributeReader.accessLists(from, name));
    DirState last = previous;
    return last != null
            && last.size() == 0
            && last.notes().equals(notes)
            && last.self().matches(stat)
            && last.meta().equals(self.meta())
        ? last
        : new DirState(
            self,
            new DirectoryEntryTable(List.of()),
            new DirState[0],
            notes,
            inherited,
            inherited,
            false);
  }

  private OpenDirectory opened() {
    OpenDirectory mine = directory;
    if (mine == null) {
      throw new IllegalStateException("'%s' was not opened".formatted(name));
    }
    return mine;
  }

  private DirectoryScanResult looked() {
    DirectoryScanResult mine = look;
    if (mine == null) {
      throw new IllegalStateException("'%s' was not scanned".formatted(name));
    }
    return mine;
  }

  private void childOpened() throws IOException {
    if (unopened.decrementAndGet() == 0) {
      scan.close(opened());
    }
  }

  /** Returns the path, raw, from the root; empty or ending in a slash. */
  private String prefix() {
    List<String> names = new ArrayList<>();
    for (ScanTask at = this; at != null && at.parent != null; at = at.parent) {
      names.add(at.name);
    }
    StringBuilder path = new StringBuilder();
    for (String each : names.reversed()) {
      path.append(each).append('/');
    }
    return path.toString();
  }

  boolean hasNextChild() {
    return cursor < looked().entries().count;
  }

  /** One thread at a time may call this. */
  ScanTask nextChild() {
    DirectoryScanResult seen = looked();
    int at = cursor++;
    skipToDirectory();
    String child = seen.entries().name(at);
    return new ScanTask(
        scan,
        this,
        at,
        child,
        depth + 1,
        rulesFor(seen.rules(), child),
        seen.previousChild(at, child, previous),
        moved);
  }

  private IgnoreRuleSet rulesFor(IgnoreRuleSet mine, String child) {
    return mine.entering(mine.dependsOnPlace(child) ? prefix() : "", child);
  }

  private void skipToDirectory() {
    DirectoryEntryTable entries = looked().entries();
    while (cursor < entries.count && entries.kind(cursor) != FileKind.DIRECTORY) {
      cursor++;
    }
  }

  /**
   * @param state null if the child is no longer a directory
   */
  private void childDone(int child, @Nullable DirState state, PosixException e) {
    if (state == null) {
      synchronized (this) {
        boolean[] mine = gone == null ? new boolean[children.length] : gone;
        mine[child] = true;
        gone = mine;
        String lost = looked().entries().name(child);
        lateNotes.add(DirectoryScanResult.vanished(lost, e));
      }
    }
    childDone(child, state);
  }

  private void childDone(int child, @Nullable DirState state) {
    children[child] = state;
    if (unfinished.decrementAndGet() == 0) {
      end(this);
    }
  }

  /** Builds the state of this directory, and of all parents whose last child it was. */
  private static void end(ScanTask last) {
    ScanTask task = last;
    while (true) {
      DirState state = task.state();
      ScanTask above = task.parent;
      if (above == null) {
        task.scan.finished(state);
        return;
      }
      above.children[task.index] = state;
      if (above.unfinished.decrementAndGet() > 0) {
        return;
      }
      task = above;
    }
  }

  private synchronized DirState state() {
    DirectoryScanResult seen = looked();
    DirState last = previous;
    if (last != null
        && seen.same()
        && gone == null
        && Arrays.equals(children, last.children(), (a, b) -> a == b ? 0 : 1)) {
      last.confirm(inherited, seen.rules(), seen.settled());
      return last;
    }
    boolean[] lost = gone;
    if (lost == null) {
      return new DirState(
          seen.self(),
          seen.entries(),
          children,
          seen.notes(),
          inherited,
          seen.rules(),
          seen.settled());
    }
    List<ScanProblem> notes = new ArrayList<>(seen.notes());
    notes.addAll(lateNotes);
    List<@Nullable DirState> left = new ArrayList<>();
    for (int i = 0; i < lost.length; i++) {
      if (!lost[i]) {
        left.add(children[i]);
      }
    }
    return new DirState(
        seen.self(),
        new DirectoryEntryTable(seen.entries(), lost),
        left.toArray(new DirState[0]),
        List.copyOf(notes),
        inherited,
        seen.rules(),
        false);
  }
}
