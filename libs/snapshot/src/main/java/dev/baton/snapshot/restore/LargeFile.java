/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.posix.OpenFile;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A file that several segments write, possibly concurrently: created by the first, finished by the
 * last.
 */
final class LargeFile {
  final PendingDirectory directory;
  final NodeEntry.File file;

  private final boolean hasHoles;
  private final AtomicInteger parts = new AtomicInteger(1);
  private final ReentrantLock writing = new ReentrantLock();
  private @Nullable OpenFile open;

  LargeFile(PendingDirectory directory, NodeEntry.File file, boolean hasHoles) {
    this.directory = directory;
    this.file = file;
    this.hasHoles = hasHoles;
    directory.retain();
  }

  void retain() {
    parts.incrementAndGet();
  }

  /** Returns whether that was the last part. */
  boolean release() {
    return parts.decrementAndGet() == 0;
  }

  /** Returns the file, creating it at the first call. */
  synchronized OpenFile open(RestoredFileWriter writer) throws IOException {
    OpenFile known = open;
    if (known == null) {
      known = writer.create(directory, file);
      open = known;
      if (hasHoles) {
        known.truncate(file.size());
      }
    }
    return known;
  }

  /**
   * Like {@link OpenFile#writeAt}. The kernel lets one thread write to a file at a time, and the
   * others wait by spinning: the lock frees the processor for decompression instead.
   */
  void writeAt(OpenFile file, long position, byte[] bytes, int offset, int length)
      throws IOException, InterruptedException {
    writing.lockInterruptibly();
    try {
      file.writeAt(position, bytes, offset, length);
    } finally {
      writing.unlock();
    }
  }

  synchronized void close() throws IOException {
    OpenFile known = open;
    open = null;
    if (known != null) {
      known.close();
    }
  }
}
