/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.SkippedEntry;
import dev.baton.snapshot.format.FileContent;
import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.scan.DirState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Walks a scanned tree, selects the files that must be read, and opens the directories that contain
 * them (and no others), each from its parent. Single use, one thread.
 */
final class ChangedFileWalker {
  /** Maximum number of files in a batch. */
  private static final int MAX_FILES = 256;

  /** Size in bytes at which a batch is full. */
  private static final long MAX_BYTES = 4 << 20;

  /**
   * Maximum number of open directories above the deepest one; a tree may have more levels than a
   * process may open files.
   */
  private static final int MAX_OPEN = 64;

  /** Receives batches, and must release their directories. */
  @FunctionalInterface
  interface Readers {
    void accept(FileBatch batch) throws IOException, InterruptedException;
  }

  private final Path root;
  private final Predicate<FileContent> stored;
  private final Readers readers;
  private final Queue<SkippedEntry> skipped;
  private final List<Frame> way = new ArrayList<>();
  private int[] files = new int[MAX_FILES];

  /**
   * @param stored whether the store has all chunks of a file that is already read
   * @param skipped thread-safe
   */
  ChangedFileWalker(
      Path root, Predicate<FileContent> stored, Readers readers, Queue<SkippedEntry> skipped) {
    this.root = root;
    this.stored = stored;
    this.readers = readers;
    this.skipped = skipped;
  }

  /**
   * @param before a state whose chunks are all in the store; null if none is known
   * @throws TreeMovedException if a directory has vanished that has unchanged files whose chunks
   *     are not stored
   * @throws IOException if the root cannot be opened, or open files are exhausted
   */
  void walk(DirState state, @Nullable DirState before) throws IOException, InterruptedException {
    try {
      enter(new Frame(state, "", before));
      while (!way.isEmpty()) {
        ChangedDirectoryIterator.Changed below = way.getLast().changed.next();
        if (below == null) {
          way.removeLast().close();
        } else {
          enter(new Frame(below.state(), below.name(), below.before()));
        }
      }
    } finally {
      way.forEach(Frame::close);
    }
  }

  private void enter(Frame frame) throws IOException, InterruptedException {
    way.addLast(frame);
    files(frame.state);
  }

  /** A directory on the current path; opened when a file in or below it is read. */
  private static final class Frame {
    private final DirState state;
    private final String name;
    private final ChangedDirectoryIterator changed;
    private @Nullable SharedDirectory open;

    Frame(DirState state, String name, @Nullable DirState before) {
      this.state = state;
      this.name = name;
      changed = new ChangedDirectoryIterator(state, before);
    }

    void close() {
      SharedDirectory mine = open;
      if (mine != null) {
        open = null;
        mine.release();
      }
    }
  }

  private void files(DirState state) throws IOException, InterruptedException {
    int count = 0;
    long bytes = 0;
    for (int i = 0; i < state.size(); i++) {
      if (!isWanted(state, i)) {
        continue;
      }
      files[count++] = i;
      bytes += state.length(i);
      if (count == MAX_FILES || bytes >= MAX_BYTES) {
        give(state, count, bytes);
        count = 0;
        bytes = 0;
      }
    }
    if (count > 0) {
      give(state, count, bytes);
    }
  }

  private boolean isWanted(DirState state, int i) {
    if (state.kind(i) != FileKind.FILE || !state.isPresent(i) || state.linkTo(i) != null) {
      return false;
    }
    FileContent content = state.content(i);
    return content == null || !stored.test(content);
  }

  private void give(DirState state, int count, long bytes)
      throws IOException, InterruptedException {
    SharedDirectory open;
    try {
      open = open();
    } catch (PosixException e) {
      if (way.size() == 1 || e.isExhausted()) {
        throw e;
      }
      lose(state, count, e);
      return;
    }
    readers.accept(new FileBatch(open.share(), state, path(), Arrays.copyOf(files, count), bytes));
  }

  /** Handles a directory that has vanished, or become inaccessible, since the scan. */
  private void lose(DirState state, int count, PosixException e) throws TreeMovedException {
    for (int i = 0; i < count; i++) {
      String path = RawPathFormatter.child(path(), state.name(files[i]));
      if (!state.needsReading(files[i])) {
        throw new TreeMovedException(path);
      }
      state.skip(files[i]);
      skipped.add(
          new SkippedEntry(path, SkippedEntry.Reason.of(e), String.valueOf(e.getMessage())));
    }
  }

  /** Opens the deepest directory of the path. */
  private SharedDirectory open() throws IOException {
    int known = way.size() - 1;
    while (known >= 0 && way.get(known).open == null) {
      known--;
    }
    SharedDirectory above = known < 0 ? null : way.get(known).open;
    for (int depth = known + 1; depth < way.size(); depth++) {
      Frame frame = way.get(depth);
      above =
          new SharedDirectory(
              above == null ? OpenDirectory.open(root) : above.directory().openChild(frame.name));
      frame.open = above;
      if (depth >= MAX_OPEN) {
        way.get(depth - MAX_OPEN).close();
      }
    }
    if (above == null) {
      throw new IllegalStateException("the walk has no current directory");
    }
    return above;
  }

  private String path() {
    String path = "";
    for (Frame frame : way.subList(1, way.size())) {
      path = RawPathFormatter.child(path, frame.name);
    }
    return path;
  }
}
