/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.posix.OpenDirectory;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A directory that is being restored: open, and accessible only to its owner, until everything in
 * it is written; then it gets its final mode and time. A directory that waits for hard links is
 * closed meanwhile.
 */
final class PendingDirectory {
  final @Nullable PendingDirectory parent;
  final NodeEntry.Directory entry;

  /** Number of directories above this one; 0 for the root. */
  final int depth;

  /** Set by the planner before it releases the directory. */
  volatile boolean awaitsLinks;

  private final AtomicInteger users = new AtomicInteger(1);
  private volatile @Nullable OpenDirectory directory;

  PendingDirectory(
      @Nullable PendingDirectory parent, NodeEntry.Directory entry, OpenDirectory directory) {
    this.parent = parent;
    this.entry = entry;
    this.directory = directory;
    depth = parent == null ? 0 : parent.depth + 1;
  }

  OpenDirectory directory() throws IOException {
    OpenDirectory open = directory;
    if (open == null) {
      throw new IOException(path() + " is already closed");
    }
    return open;
  }

  /** Adds a task that needs the directory open. */
  void retain() {
    users.incrementAndGet();
  }

  /** Returns whether that was the last user. */
  boolean release() {
    return users.decrementAndGet() == 0;
  }

  void close() throws IOException {
    OpenDirectory open = directory;
    directory = null;
    if (open != null) {
      open.close();
    }
  }

  /** Returns the path from the root, raw; empty for the root. */
  String path() {
    PendingDirectory above = parent;
    return above == null ? "" : above.path(entry.name());
  }

  String path(String child) {
    String own = path();
    return own.isEmpty() ? child : own + "/" + child;
  }
}
