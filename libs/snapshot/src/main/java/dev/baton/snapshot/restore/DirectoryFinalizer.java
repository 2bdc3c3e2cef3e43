/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.files.NoFollowPathWalker;
import dev.baton.snapshot.posix.OpenDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ends directories and large files when nobody writes into them any more: sets their mode and time,
 * closes them. Whoever lets go last does that. Thread-safe.
 *
 * <p>A directory that still gets hard links is only closed, and so are those above it; they are
 * ended after the links, in the same order: a directory after what is in it.
 */
final class DirectoryFinalizer implements AutoCloseable {
  private final RestoredFileWriter files;
  private final Set<PendingDirectory> open = ConcurrentHashMap.newKeySet();
  private final Set<LargeFile> openFiles = ConcurrentHashMap.newKeySet();
  private final List<PendingDirectory> awaitingLinks = new ArrayList<>();

  DirectoryFinalizer(RestoredFileWriter files) {
    this.files = files;
  }

  PendingDirectory opened(PendingDirectory directory) {
    open.add(directory);
    return directory;
  }

  LargeFile opened(LargeFile file) {
    openFiles.add(file);
    return file;
  }

  void release(LargeFile file) throws IOException {
    if (file.release()) {
      files.finish(file.open(files), file.directory, file.file);
      file.close();
      openFiles.remove(file);
      release(file.directory);
    }
  }

  /** Of the directory, and of those above it that waited for nothing else. */
  void release(PendingDirectory directory) throws IOException {
    for (PendingDirectory each = directory; each != null && each.release(); each = each.parent) {
      if (each.awaitsLinks) {
        await(each);
      } else {
        files.finish(each.directory(), each);
      }
      close(each);
    }
  }

  private void await(PendingDirectory directory) {
    PendingDirectory parent = directory.parent;
    if (parent != null) {
      parent.awaitsLinks = true;
    }
    synchronized (awaitingLinks) {
      awaitingLinks.add(directory);
    }
  }

  private void close(PendingDirectory directory) throws IOException {
    open.remove(directory);
    // Whoever opened the root closes it.
    if (directory.parent != null) {
      directory.close();
    }
  }

  /** To be called after all links are made. */
  void endAwaiting(OpenDirectory root) throws IOException {
    synchronized (awaitingLinks) {
      for (PendingDirectory each : awaitingLinks) {
        try (NoFollowPathWalker at = NoFollowPathWalker.to(root, each.path())) {
          files.finish(at.directory(), each);
        }
      }
    }
  }

  /** Closes what a failure left open. */
  @Override
  public void close() throws IOException {
    for (LargeFile each : openFiles) {
      each.close();
    }
    for (PendingDirectory each : open) {
      close(each);
    }
  }
}
