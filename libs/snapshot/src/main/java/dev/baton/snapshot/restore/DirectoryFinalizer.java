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
 * Finishes directories and large files after the last write: sets their mode and time, and closes
 * them. The last thread that releases one does that. Thread-safe.
 *
 * <p>A directory that waits for hard links is only closed, as are its parents; they are finished
 * after the links, in the same order: a directory after those in it.
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

  /** Finishes the directory, and all parents that have no other pending work. */
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
    // The opener of the root closes it.
    if (directory.parent != null) {
      directory.close();
    }
  }

  /** Call it after all links are created. */
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
