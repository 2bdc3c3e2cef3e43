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
 * A directory that is being filled: open, and only its owner's, until everything in it is written;
 * then it gets its own mode and time. A directory in which hard links are still to be made waits
 * for them, closed.
 */
final class PendingDirectory {
  final @Nullable PendingDirectory parent;
  final NodeEntry.Directory entry;

  /** Directories above this one; 0 for the root. */
  final int depth;

  /** Set by the planner before it lets go of the directory. */
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
      throw new IOException(path() + " is closed already");
    }
    return open;
  }

  /** One more task that will need it open. */
  void retain() {
    users.incrementAndGet();
  }

  /** Whether that was the last user. */
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

  /** From the root, raw; empty for the root. */
  String path() {
    PendingDirectory above = parent;
    return above == null ? "" : above.path(entry.name());
  }

  String path(String child) {
    String own = path();
    return own.isEmpty() ? child : own + "/" + child;
  }
}
