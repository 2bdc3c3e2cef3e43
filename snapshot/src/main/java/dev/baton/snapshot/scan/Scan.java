/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.posix.Directory;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One scan by several threads: each takes the next directory, depth first, so that few are open at
 * a time. What waits is a stack of directories with children still to be taken, as high as the tree
 * is deep.
 */
final class Scan {
  private record Identity(long device, long inode) {}

  private final Path root;
  private final Rules rules;
  private final int threads;
  private final Deque<ScanTask> stack = new ArrayDeque<>();
  private final Set<Directory> open = ConcurrentHashMap.newKeySet();
  private @Nullable DirState previous;
  private @Nullable Map<Identity, DirState> former;
  private @Nullable DirState result;
  private @Nullable Throwable failure;

  Scan(Path root, Rules rules, int threads) {
    this.root = root;
    this.rules = rules;
    this.threads = threads;
  }

  DirState run(@Nullable DirState last) throws IOException, InterruptedException {
    previous = last;
    List<Thread> helpers = new ArrayList<>();
    try {
      new ScanTask(this, last, rules).run(new StatBuffer());
      boolean more = waiting();
      for (int i = 1; more && i < threads; i++) {
        helpers.add(Thread.ofPlatform().daemon().name("baton-scan-" + i).start(this::work));
      }
      work();
    } catch (IOException | RuntimeException e) {
      fail(e);
    }
    boolean interrupted = false;
    for (Thread helper : helpers) {
      interrupted |= !join(helper);
    }
    for (Directory directory : open) {
      directory.close();
    }
    if (interrupted) {
      throw new InterruptedException("interrupted while scanning " + root);
    }
    return outcome();
  }

  private boolean join(Thread helper) {
    boolean calm = true;
    while (true) {
      try {
        helper.join();
        return calm;
      } catch (InterruptedException e) {
        // The others use what this thread has opened: wait until they have seen it.
        calm = false;
        fail(e);
      }
    }
  }

  private synchronized DirState outcome() throws IOException, InterruptedException {
    Throwable failed = failure;
    switch (failed) {
      case null -> {}
      case IOException e -> throw e;
      case InterruptedException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException("scan of " + root + " failed", failed);
    }
    DirState done = result;
    if (done == null) {
      throw new IllegalStateException("scan of " + root + " ended early");
    }
    return done;
  }

  private void work() {
    StatBuffer stat = new StatBuffer();
    try {
      for (ScanTask task = take(); task != null; task = take()) {
        task.run(stat);
      }
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      fail(e);
    }
  }

  private synchronized void fail(Throwable e) {
    if (failure == null) {
      failure = e;
    }
    notifyAll();
  }

  private synchronized boolean waiting() {
    return !stack.isEmpty();
  }

  /** Null when there is nothing left to be done. */
  private synchronized @Nullable ScanTask take() throws InterruptedException {
    while (stack.isEmpty() && result == null && failure == null) {
      wait();
    }
    ScanTask parent = stack.peek();
    if (parent == null || failure != null) {
      return null;
    }
    ScanTask child = parent.nextChild();
    if (!parent.hasNextChild()) {
      stack.pop();
    }
    return child;
  }

  synchronized void push(ScanTask parent) {
    stack.push(parent);
    notifyAll();
  }

  synchronized void finished(DirState state) {
    result = state;
    notifyAll();
  }

  Path root() {
    return root;
  }

  Directory opened(Directory directory) {
    open.add(directory);
    return directory;
  }

  void close(Directory directory) throws IOException {
    open.remove(directory);
    directory.close();
  }

  /** The state of a directory that has been renamed, wherever it was. */
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
