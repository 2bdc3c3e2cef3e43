/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.format.Content;
import dev.baton.snapshot.posix.Directory;
import dev.baton.snapshot.posix.Kind;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.scan.DirState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Goes through a scanned tree, finds the files that have to be read, and opens the directories they
 * are in (and no others), each by its parent. One use, one thread.
 */
final class FileWalk {
  /** Files of a batch at most. */
  private static final int MAX_FILES = 256;

  /** Bytes after which a batch ends. */
  private static final long MAX_BYTES = 4 << 20;

  /** Takes batches, and the duty to release their directories. */
  @FunctionalInterface
  interface Readers {
    void accept(Batch batch) throws IOException, InterruptedException;
  }

  private final Path root;
  private final Predicate<Content> stored;
  private final Readers readers;
  private int[] files = new int[MAX_FILES];

  /**
   * @param stored whether all chunks of a file that need not be read are in the store
   */
  FileWalk(Path root, Predicate<Content> stored, Readers readers) {
    this.root = root;
    this.stored = stored;
    this.readers = readers;
  }

  void walk(DirState state) throws IOException, InterruptedException {
    walk(new Frame(null, state, ""));
  }

  /** A directory on the way to where the walk is; opened when something in or below it is read. */
  private final class Frame implements AutoCloseable {
    private final @Nullable Frame parent;
    private final DirState state;
    private final String name;
    private @Nullable SharedDirectory open;

    Frame(@Nullable Frame parent, DirState state, String name) {
      this.parent = parent;
      this.state = state;
      this.name = name;
    }

    SharedDirectory open() throws IOException {
      SharedDirectory known = open;
      if (known == null) {
        known =
            new SharedDirectory(
                parent == null ? Directory.open(root) : parent.open().directory().openChild(name));
        open = known;
      }
      return known;
    }

    String path() {
      return parent == null ? "" : Paths.child(parent.path(), name);
    }

    @Override
    public void close() {
      if (open != null) {
        open.release();
      }
    }
  }

  private void walk(Frame frame) throws IOException, InterruptedException {
    try (frame) {
      files(frame);
      DirState state = frame.state;
      for (int i = 0; i < state.size(); i++) {
        if (state.kind(i) == Kind.DIRECTORY && state.isPresent(i)) {
          walk(new Frame(frame, state.child(i), state.name(i)));
        }
      }
    }
  }

  private void files(Frame frame) throws IOException, InterruptedException {
    DirState state = frame.state;
    int count = 0;
    long bytes = 0;
    for (int i = 0; i < state.size(); i++) {
      if (!isWanted(state, i)) {
        continue;
      }
      files[count++] = i;
      bytes += state.length(i);
      if (count == MAX_FILES || bytes >= MAX_BYTES) {
        give(frame, count, bytes);
        count = 0;
        bytes = 0;
      }
    }
    if (count > 0) {
      give(frame, count, bytes);
    }
  }

  private boolean isWanted(DirState state, int i) {
    if (state.kind(i) != Kind.FILE || !state.isPresent(i) || state.linkTo(i) != null) {
      return false;
    }
    Content content = state.content(i);
    return content == null || !stored.test(content);
  }

  private void give(Frame frame, int count, long bytes) throws IOException, InterruptedException {
    SharedDirectory open;
    try {
      open = frame.open();
    } catch (PosixException e) {
      // The scan was there a moment ago.
      throw new TreeMovedException(frame.path().isEmpty() ? root.toString() : frame.path());
    }
    readers.accept(
        new Batch(open.share(), frame.state, frame.path(), Arrays.copyOf(files, count), bytes));
  }
}
