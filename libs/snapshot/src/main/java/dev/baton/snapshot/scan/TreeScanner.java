/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.SkippedEntry;
import dev.baton.snapshot.posix.RawName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Scans a tree. Thread-safe, but two scans that start from the same previous state must not run
 * concurrently. Use one instance per tree: states of another instance are valid, but all
 * directories are listed again.
 */
public final class TreeScanner {
  private final IgnoreRuleSet rules;
  private final @Nullable String seenAs;
  private final int threads;

  private TreeScanner(IgnoreRuleSet rules, @Nullable String seenAs, int threads) {
    this.rules = rules;
    this.seenAs = seenAs;
    this.threads = threads;
  }

  /**
   * Creates a scanner that applies these excludes and {@code .batonignore} files, except to the
   * content of a .git directory and to files that a repository tracks.
   */
  public static TreeScanner leavingOut(ExcludePolicy excludes) {
    return new TreeScanner(IgnoreRuleSet.of(excludes), null, processors());
  }

  /** Creates a scanner that excludes nothing, for trees that this process has written. */
  public static TreeScanner ofEverything() {
    return new TreeScanner(IgnoreRuleSet.EVERYTHING, null, processors());
  }

  private static int processors() {
    return Math.clamp(Runtime.getRuntime().availableProcessors(), 2, 16);
  }

  /**
   * @param threads including the caller's
   */
  TreeScanner with(int threads) {
    return new TreeScanner(rules, seenAs, threads);
  }

  /**
   * Resolves absolute paths of git, as in linked work trees, when programs see the tree at another
   * path than the scanner.
   */
  public TreeScanner seenAs(Path path) {
    return new TreeScanner(rules, RawName.ofPath(path), threads);
  }

  /**
   * Compares the tree with the previous scan. Enters mount points inside it, follows no links.
   *
   * @param previous result of the last scan of this tree, captured or not; null the first time
   * @throws IOException if the root is missing, not a directory or not readable, or memory or open
   *     files are exhausted; no other error below the root is fatal
   */
  public ScanResult scan(Path root, @Nullable DirState previous)
      throws IOException, InterruptedException {
    DirState state = relinked(new TreeScanExecutor(root, seenAs, rules, threads).run(previous));
    Totals totals = new Totals();
    if (state.node() == null || state.notesBelow()) {
      totals.add(state);
    }
    return new ScanResult(state, totals.skipped, totals.leftOut, totals.files);
  }

  /**
   * Selects first names of files again: if the file of a first name could not be read (because the
   * name was removed), the next name becomes the first.
   *
   * @return the same object if nothing changes
   */
  public static DirState relinked(DirState root) {
    return HardLinkResolver.assigned(root);
  }

  private static final class Totals {
    private final List<SkippedEntry> skipped = new ArrayList<>();
    private final List<String> leftOut = new ArrayList<>();
    private long files;

    private void add(DirState root) {
      Deque<DirectoryPosition> pending = new ArrayDeque<>();
      pending.push(new DirectoryPosition(null, "", root));
      while (!pending.isEmpty()) {
        DirectoryPosition place = pending.pop();
        DirState state = place.state();
        if (!state.notes().isEmpty()) {
          addNotes(state, place.prefix());
        }
        boolean open = state.node() == null;
        for (int i = state.size() - 1; i >= 0; i--) {
          DirState child = state.childOrNull(i);
          if (child != null && (child.node() == null || child.notesBelow())) {
            pending.push(place.below(i, child));
          } else if (open && child == null && state.needsReading(i)) {
            files++;
          }
        }
      }
    }

    private void addNotes(DirState state, String prefix) {
      for (ScanProblem note : state.notes()) {
        if (note.reason() == SkippedEntry.Reason.LEFT_OUT) {
          leftOut.add(note.in(prefix));
        } else {
          skipped.add(
              new SkippedEntry(RawName.display(note.in(prefix)), note.reason(), note.detail()));
        }
      }
    }
  }
}
