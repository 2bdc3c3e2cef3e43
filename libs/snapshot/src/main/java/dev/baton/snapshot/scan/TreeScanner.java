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
 * Looks at a tree. Thread-safe, though two scans that start from the same last state must follow
 * each other. Keep one per tree: the states of another one are as good, but all directories are
 * listed again.
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
   * Leaves out these, and what {@code .batonignore} files name; but nothing in a repository, and
   * nothing that one tracks.
   */
  public static TreeScanner leavingOut(ExcludePolicy excludes) {
    return new TreeScanner(IgnoreRuleSet.of(excludes), null, processors());
  }

  /** Leaves out nothing: for what this process has put there itself. */
  public static TreeScanner ofEverything() {
    return new TreeScanner(IgnoreRuleSet.EVERYTHING, null, processors());
  }

  private static int processors() {
    return Math.clamp(Runtime.getRuntime().availableProcessors(), 2, 16);
  }

  /** With so many threads, the caller's included. */
  TreeScanner with(int threads) {
    return new TreeScanner(rules, seenAs, threads);
  }

  /**
   * Follows absolute paths of git, which linked work trees have, where programs see the tree under
   * another path than the scanner does.
   */
  public TreeScanner seenAs(Path path) {
    return new TreeScanner(rules, RawName.ofPath(path), threads);
  }

  /**
   * Compares the tree with what was seen last. Mount points inside it are entered, links are not.
   *
   * @param previous what the last scan of this tree gave, captured or not; null the first time
   * @throws IOException if the root is missing, no directory or not to be read, or the system is
   *     out of memory or open files; nothing else below the root is fatal
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
   * Decides again which name of a file is the first: where the file behind a first name could not
   * be read (because the name was removed), the next one has to be.
   *
   * @return the same object where nothing is to be changed
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
