/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.copy;

import dev.baton.snapshot.Skipped;
import dev.baton.snapshot.files.FileCopy;
import dev.baton.snapshot.posix.Directory;
import dev.baton.snapshot.posix.RawName;
import dev.baton.snapshot.scan.DirState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * One copy by several threads: each takes the next directory, depth first, so that few are open at
 * a time; then one of them makes the hard links. One use.
 */
public final class Copying {
  private final Path from;
  private final Directory into;
  private final Deque<CopyTask> stack = new ArrayDeque<>();
  private final Set<Directory> open = ConcurrentHashMap.newKeySet();
  private final Queue<Skipped> skipped = new ConcurrentLinkedQueue<>();
  private final LateLinks links;
  private boolean finished;
  private volatile @Nullable Throwable failure;

  /**
   * @param into an empty directory that stays open meanwhile
   */
  public Copying(Path from, Directory into) {
    this.from = from;
    this.into = into;
    links = new LateLinks(from, into);
  }

  /**
   * Copies what a scan has found.
   *
   * @return what could not be copied, or not for certain; what the scan has skipped is not in it
   * @throws IOException if the source's root cannot be opened any more, or writing fails
   */
  public List<Skipped> copy(DirState root) throws IOException, InterruptedException {
    List<Thread> helpers = new ArrayList<>();
    FileCopy files = new FileCopy();
    try {
      new CopyTask(this, null, "", root).run(files);
      boolean more = waiting();
      for (int i = 1; more && i < threads(); i++) {
        helpers.add(Thread.ofPlatform().daemon().name("baton-copy-" + i).start(this::work));
      }
      work(files);
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    }
    for (Thread helper : helpers) {
      join(helper);
    }
    for (Directory directory : open) {
      directory.close();
    }
    check();
    links.make(files);
    return List.copyOf(skipped);
  }

  private static int threads() {
    return Math.clamp(Runtime.getRuntime().availableProcessors(), 2, 8);
  }

  private void join(Thread helper) {
    while (true) {
      try {
        helper.join();
        return;
      } catch (InterruptedException e) {
        // The others use what this thread has opened: wait until they have seen it.
        fail(e);
      }
    }
  }

  private void check() throws IOException, InterruptedException {
    switch (failure) {
      case null -> {}
      case IOException e -> throw e;
      case InterruptedException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IllegalStateException("copy of " + from + " failed", e);
    }
  }

  private void work() {
    work(new FileCopy());
  }

  private void work(FileCopy files) {
    try {
      for (CopyTask task = take(); task != null; task = take()) {
        task.run(files);
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
  private synchronized @Nullable CopyTask take() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted while copying " + from);
    }
    while (stack.isEmpty() && !finished && failure == null) {
      wait();
    }
    return failure == null ? stack.poll() : null;
  }

  synchronized void push(CopyTask task) {
    stack.push(task);
    notifyAll();
  }

  synchronized void finished() {
    finished = true;
    notifyAll();
  }

  boolean isOver() {
    return failure != null;
  }

  Directory openSource() throws IOException {
    return Directory.open(from);
  }

  Directory made() {
    return into;
  }

  Directory opened(Directory directory) {
    open.add(directory);
    return directory;
  }

  void close(@Nullable Directory directory) throws IOException {
    if (directory != null) {
      open.remove(directory);
      directory.close();
    }
  }

  void linkLater(CopyTask in, String name, String first) {
    links.add(in, name, first);
  }

  void awaitLinks(CopyTask task) {
    links.await(task);
  }

  void skip(String path, Skipped.Reason reason, IOException why) {
    skip(path, reason, String.valueOf(why.getMessage()));
  }

  /** A path, raw. */
  void skip(String path, Skipped.Reason reason, String why) {
    skipped.add(new Skipped(path.isEmpty() ? "." : RawName.display(path), reason, why));
  }
}
