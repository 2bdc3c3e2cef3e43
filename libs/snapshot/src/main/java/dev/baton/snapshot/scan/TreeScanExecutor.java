/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.git.GitTrackedFileChecker;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.RawName;
import dev.baton.snapshot.posix.StatBuffer;
import dev.baton.snapshot.threads.TreeWorkerPool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs one scan with several threads. The waiting work is a stack of directories with unvisited
 * children, as high as the tree is deep.
 */
final class TreeScanExecutor {
  private record Identity(long device, long inode) {}

  private final Path root;
  private final @Nullable String seenAs;
  private final IgnoreRuleSet rules;
  private final int threads;
  private final TreeWorkerPool<ScanTask> crew;
  private @Nullable DirState previous;
  private @Nullable Map<Identity, DirState> former;
  private volatile @Nullable DirState result;

  /**
   * @param seenAs the raw path of the root as programs see it; null if it is the same
   */
  TreeScanExecutor(Path root, @Nullable String seenAs, IgnoreRuleSet rules, int threads) {
    this.root = root;
    this.seenAs = seenAs;
    this.rules = rules;
    this.threads = threads;
    crew = new TreeWorkerPool<>("scan", root, TreeScanExecutor::nextChild);
  }

  DirState run(@Nullable DirState last) throws IOException, InterruptedException {
    previous = last;
    crew.run(
        new ScanTask(this, last, rules),
        threads,
        () -> {
          StatBuffer stat = new StatBuffer();
          return task -> task.run(stat);
        });
    DirState done = result;
    if (done == null) {
      throw new IllegalStateException("scan of " + root + " ended early");
    }
    return done;
  }

  private static ScanTask nextChild(Deque<ScanTask> stack) {
    ScanTask parent = stack.getFirst();
    ScanTask child = parent.nextChild();
    if (!parent.hasNextChild()) {
      stack.pop();
    }
    return child;
  }

  void push(ScanTask parent) {
    crew.push(parent);
  }

  void finished(DirState state) {
    result = state;
    crew.finished();
  }

  Path root() {
    return root;
  }

  /**
   * Creates the checker of tracked files for this work tree; it reads the index at its first use.
   */
  GitTrackedFileChecker tracked(String prefix, Set<String> names) {
    String own = RawName.ofPath(root);
    return new GitTrackedFileChecker(root, seenAs == null ? own : seenAs, prefix, names);
  }

  /**
   * Returns whether the checker belongs to a work tree of this tree, and not to one that was moved
   * here.
   */
  boolean isOf(GitTrackedFileChecker files) {
    return files.root().equals(root);
  }

  OpenDirectory opened(OpenDirectory directory) {
    return crew.opened(directory);
  }

  void close(OpenDirectory directory) throws IOException {
    crew.close(directory);
  }

  /** Returns the previous state of a renamed directory, from anywhere in the tree. */
  synchronized @Nullable DirState former(StatBuffer stat) {
    DirState last = previous;
    if (last == null) {
      return null;
    }
    Map<Identity, DirState> known = former;
    if (known == null) {
      known = new HashMap<>();
      collect(last, known);
      former = known;
    }
    return known.get(new Identity(stat.device, stat.inode));
  }

  private static void collect(DirState root, Map<Identity, DirState> into) {
    Deque<DirState> pending = new ArrayDeque<>();
    pending.push(root);
    while (!pending.isEmpty()) {
      DirState state = pending.pop();
      into.put(new Identity(state.self().device(), state.self().inode()), state);
      for (DirState child : state.children()) {
        if (child != null) {
          pending.push(child);
        }
      }
    }
  }
}
