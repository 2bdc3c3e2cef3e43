/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.threads;

import dev.baton.snapshot.posix.OpenDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Processes one tree with several threads, including the caller's: each takes the next directory
 * from the top of a stack, so that few directories are open at a time. An exception in one thread
 * ends the work of all. Thread-safe, except {@link #run}. Single use.
 *
 * @param <T> element of the stack
 */
public final class TreeWorkerPool<T> {
  /** The work of one thread: called repeatedly, with state of its own. */
  @FunctionalInterface
  public interface Worker<T> {
    void work(T task) throws IOException, InterruptedException;
  }

  private final String doing;
  private final Path tree;
  private final Function<Deque<T>, T> taking;
  private final Deque<T> stack = new ArrayDeque<>();
  private final Set<OpenDirectory> open = ConcurrentHashMap.newKeySet();
  private boolean finished;
  private volatile @Nullable Throwable failure;

  /**
   * @param doing one word, for messages and the names of threads
   * @param taking takes the next task from a stack that is not empty; called by one thread at a
   *     time
   */
  public TreeWorkerPool(String doing, Path tree, Function<Deque<T>, T> taking) {
    this.doing = doing;
    this.tree = tree;
    this.taking = taking;
  }

  /**
   * Processes the first task and all tasks that it creates, until {@link #finished} is called.
   * Starts no other threads if the first task creates none. When this returns, all threads have
   * ended and all directories are closed.
   *
   * @param threads maximum number, including this one
   * @param workers creates one worker per thread
   * @throws InterruptedException soon after an interrupt
   */
  public void run(T first, int threads, Supplier<Worker<T>> workers)
      throws IOException, InterruptedException {
    List<Thread> helpers = new ArrayList<>();
    try {
      Worker<T> own = workers.get();
      own.work(first);
      boolean more = waiting();
      for (int i = 1; more && i < threads; i++) {
        helpers.add(
            Thread.ofPlatform()
                .daemon()
                .name("baton-" + doing + "-" + i)
                .start(() -> help(workers)));
      }
      work(own);
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      fail(e);
    }
    helpers.forEach(this::join);
    for (OpenDirectory directory : open) {
      directory.close();
    }
    check();
  }

  private void help(Supplier<Worker<T>> workers) {
    try {
      work(workers.get());
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      fail(e);
    }
  }

  private void work(Worker<T> worker) throws IOException, InterruptedException {
    for (T task = take(); task != null; task = take()) {
      worker.work(task);
    }
  }

  private void join(Thread helper) {
    while (helper.isAlive()) {
      try {
        helper.join();
      } catch (InterruptedException e) {
        // The others use directories that this thread has opened: wait until they stop.
        fail(e);
      }
    }
  }

  private synchronized void fail(Throwable e) {
    Throwable first = failure;
    if (first == null) {
      failure = e;
    } else if (first != e && e instanceof InterruptedException) {
      // An interrupt takes precedence over other failures.
      e.addSuppressed(first);
      failure = e;
    }
    notifyAll();
  }

  private void check() throws IOException, InterruptedException {
    switch (failure) {
      case null -> {}
      case IOException e -> throw e;
      case InterruptedException e -> throw e;
      case Error e -> throw e;
      case Throwable e ->
          throw new IllegalStateException("%s of %s failed".formatted(doing, tree), e);
    }
  }

  private synchronized boolean waiting() {
    return !stack.isEmpty();
  }

  /** Returns null when no tasks are left. */
  private synchronized @Nullable T take() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted during the %s of %s".formatted(doing, tree));
    }
    while (stack.isEmpty() && !finished && failure == null) {
      wait();
    }
    return failure != null || stack.isEmpty() ? null : taking.apply(stack);
  }

  /** Adds a task, before all waiting ones. */
  public synchronized void push(T task) {
    stack.push(task);
    notifyAll();
  }

  /** Call it when everything is done and no task waits. */
  public synchronized void finished() {
    finished = true;
    notifyAll();
  }

  /** Returns whether a thread has failed: started work need not be completed. */
  public boolean isOver() {
    return failure != null;
  }

  /** Registers a directory; it is closed at the latest when the work ends. */
  public OpenDirectory opened(OpenDirectory directory) {
    open.add(directory);
    return directory;
  }

  public void close(@Nullable OpenDirectory directory) throws IOException {
    if (directory != null) {
      open.remove(directory);
      directory.close();
    }
  }
}
