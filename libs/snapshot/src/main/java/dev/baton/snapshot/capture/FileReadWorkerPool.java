/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.threads.ThreadJoiner;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads batches of files with several threads. Starts no threads while there is little to read;
 * then {@link #finish} reads in the caller's thread. Single use: {@link #finish}, then always
 * {@link #close}.
 */
final class FileReadWorkerPool implements AutoCloseable {
  private static final int LITTLE_FILES = 100;
  private static final long LITTLE_BYTES = 2 << 20;

  /**
   * Maximum number of batches that a thread takes at once, each with an open directory. Most
   * directories have a few small files, and passing them one by one costs more than reading them.
   */
  private static final int MAX_TAKEN = 16;

  /** Size in bytes at which such a group of batches is full. */
  private static final long ENOUGH_BYTES = 256 << 10;

  /** Maximum number of groups that wait for a thread. */
  private static final int MAX_WAITING = 8;

  private final Supplier<FileReadWorker> shares;
  private final int count;
  private final Deque<List<FileBatch>> waiting = new ArrayDeque<>();
  private final List<Thread> threads = new ArrayList<>();
  private List<FileBatch> next = new ArrayList<>();
  private long nextBytes;
  private long files;
  private long bytes;
  private int running;
  private boolean ended;
  private @Nullable Throwable failure;

  /**
   * @param shares creates the worker of each thread
   * @param count maximum number of threads
   */
  FileReadWorkerPool(Supplier<FileReadWorker> shares, int count) {
    this.shares = shares;
    this.count = count;
  }

  /** Adds a batch; blocks while the threads have enough to do. */
  synchronized void add(FileBatch batch) throws IOException, InterruptedException {
    files += batch.files().length;
    bytes += batch.bytes();
    next.add(batch);
    nextBytes += batch.bytes();
    if (next.size() == MAX_TAKEN || nextBytes >= ENOUGH_BYTES) {
      passOn();
    }
    if (threads.isEmpty() && (files > LITTLE_FILES || bytes > LITTLE_BYTES)) {
      for (int i = 0; i < count; i++) {
        threads.add(Thread.ofPlatform().daemon().name("baton-capture-" + i).start(this::work));
        running++;
      }
    }
    while (!threads.isEmpty() && waiting.size() >= MAX_WAITING && failure == null) {
      wait();
    }
    check();
  }

  private void passOn() {
    if (!next.isEmpty()) {
      waiting.add(next);
      next = new ArrayList<>();
      nextBytes = 0;
      notifyAll();
    }
  }

  /** Returns when everything has been read and passed on. */
  void finish() throws IOException, InterruptedException {
    List<Thread> started;
    synchronized (this) {
      passOn();
      ended = true;
      notifyAll();
      started = List.copyOf(threads);
    }
    if (started.isEmpty()) {
      try (FileReadWorker share = shares.get()) {
        work(share);
      }
    }
    synchronized (this) {
      // After a failure the other threads may still wait for the store: close interrupts them.
      while (failure == null && running > 0) {
        wait();
      }
      check();
    }
  }

  private void work() {
    try (FileReadWorker share = shares.get()) {
      work(share);
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      fail(e);
    } finally {
      end();
    }
  }

  private synchronized void end() {
    running--;
    notifyAll();
  }

  private void work(FileReadWorker share) throws IOException, InterruptedException {
    for (List<FileBatch> taken = take(); !taken.isEmpty(); taken = take()) {
      read(share, taken);
    }
    share.flush();
  }

  private static void read(FileReadWorker share, List<FileBatch> taken)
      throws IOException, InterruptedException {
    int begun = 0;
    try {
      while (begun < taken.size()) {
        FileBatch batch = taken.get(begun++);
        try {
          share.read(batch);
        } finally {
          batch.in().release();
        }
      }
    } finally {
      release(taken.subList(begun, taken.size()));
    }
  }

  private static void release(List<FileBatch> batches) {
    batches.forEach(batch -> batch.in().release());
  }

  /** Returns an empty list if nothing is left, or after a failure. */
  private synchronized List<FileBatch> take() throws InterruptedException {
    while (waiting.isEmpty() && !ended && failure == null) {
      wait();
    }
    if (waiting.isEmpty() || failure != null) {
      return List.of();
    }
    if (waiting.size() == MAX_WAITING) {
      notifyAll(); // the walk waits for this
    }
    return waiting.remove();
  }

  private synchronized void fail(Throwable e) {
    if (failure == null) {
      failure = e;
    }
    notifyAll();
  }

  private void check() throws IOException {
    switch (failure) {
      case null -> {}
      case IOException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IOException("a capture thread failed: " + e, e);
    }
  }

  /** Interrupts all threads and waits until they have ended. */
  @Override
  public void close() {
    List<Thread> started;
    synchronized (this) {
      ended = true;
      started = List.copyOf(threads);
      waiting.forEach(FileReadWorkerPool::release);
      waiting.clear();
      release(next);
      next = new ArrayList<>();
      notifyAll();
    }
    started.forEach(Thread::interrupt);
    ThreadJoiner.join(started);
  }
}
