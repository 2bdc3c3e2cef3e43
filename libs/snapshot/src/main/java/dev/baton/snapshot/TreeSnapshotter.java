/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.capture.TreeCapturer;
import dev.baton.snapshot.format.ChunkSizes;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.restore.RestoreOptions;
import dev.baton.snapshot.restore.RestoredTree;
import dev.baton.snapshot.restore.TreeRestorer;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Captures one tree repeatedly. Caches what it has seen and stored, so that the cost of the next
 * capture depends on what changed. Thread-safe: one operation at a time, others wait. Every method
 * blocks on the disk, most on the store, and stops soon after an interrupt.
 */
public final class TreeSnapshotter {
  private final TreeCapturer capture;

  public TreeSnapshotter(ExcludePolicy excludes) {
    this(excludes, ChunkSizes.STANDARD);
  }

  /**
   * @param sizes of the chunks of files that are read; the same for all captures of a tree, because
   *     the digest depends on them
   */
  public TreeSnapshotter(ExcludePolicy excludes, ChunkSizes sizes) {
    capture = new TreeCapturer(excludes, sizes);
  }

  /** Replaces the exclude rules; see {@link TreeCapturer#leaveOut}. */
  public synchronized void leaveOut(ExcludePolicy excludes, @Nullable Path seenAs) {
    capture.leaveOut(excludes, seenAs);
  }

  /**
   * Leaves out the files whose content the scanner refuses. A capture reports them as {@link
   * SkippedEntry.Reason#CONTENT_REFUSED}; a digest and a list do not contain them either.
   */
  public synchronized void scan(FileContentScanner scanner) {
    capture.scan(scanner);
  }

  /**
   * Computes the digest that {@link #capture} would return; stores nothing.
   *
   * @throws IOException if the root is missing, is not a directory, or cannot be read
   */
  public synchronized Hash digest(Path root) throws IOException, InterruptedException {
    return capture.digest(root);
  }

  /**
   * Stores the current state of the tree; everything is durable when this returns. Files that are
   * written during the capture are read again; if they still change, they are marked.
   *
   * @throws IOException if the root cannot be read, or what {@code store} throws
   */
  public synchronized CapturedTree capture(Path root, PackStore store)
      throws IOException, InterruptedException {
    return capture.capture(root, store);
  }

  /**
   * Lists all entries of the tree, for a merge.
   *
   * @throws IOException if the root is missing, is not a directory, or cannot be read
   */
  public synchronized TreeListing list(Path root) throws IOException, InterruptedException {
    return TreeListingBuilder.of(capture.read(root));
  }

  /**
   * Replaces the target by a stored tree; see {@link TreeRestorer#restore}. The next capture of the
   * target reads only what has changed since.
   *
   * @throws SnapshotException if the snapshot is hostile, damaged or too large; the target is
   *     unchanged
   * @throws IOException if reading or writing fails; the target is unchanged
   */
  public synchronized RestoredTree restore(
      Snapshot snapshot, PackSource source, Path target, RestoreOptions options)
      throws IOException, InterruptedException {
    capture.forgetAll();
    RestoredTree restored = TreeRestorer.restore(snapshot, source, target, options);
    capture.begin(restored.state(), snapshot, restored.chunks(), restored.composites());
    return restored;
  }

  /**
   * Discards the record of stored packs, because the store has lost them: the next capture stores
   * everything again.
   */
  public synchronized void forgetPacks() {
    capture.forgetPacks();
  }
}
