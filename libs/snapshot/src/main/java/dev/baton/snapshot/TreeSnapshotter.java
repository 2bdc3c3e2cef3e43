/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.capture.TreeCapturer;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.restore.RestoreOptions;
import dev.baton.snapshot.restore.RestoredTree;
import dev.baton.snapshot.restore.TreeRestorer;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One tree that is captured again and again. Remembers what it has seen and stored, so that the
 * next capture costs what has changed. Thread-safe: one operation at a time, others wait. Every
 * method blocks on the disk, most on the store, and ends soon after an interrupt.
 */
public final class TreeSnapshotter {
  private final TreeCapturer capture;

  public TreeSnapshotter(ExcludePolicy excludes) {
    capture = new TreeCapturer(excludes);
  }

  /** Leaves out something else from now on; see {@link TreeCapturer#leaveOut}. */
  public synchronized void leaveOut(ExcludePolicy excludes, @Nullable Path seenAs) {
    capture.leaveOut(excludes, seenAs);
  }

  /**
   * The digest that {@link #capture} would give, without storing anything.
   *
   * @throws IOException if the root is missing, no directory, or cannot be read
   */
  public synchronized Hash digest(Path root) throws IOException, InterruptedException {
    return capture.digest(root);
  }

  /**
   * Stores the tree as it is now; everything is durable when this returns. Files that are written
   * meanwhile are read again and, if that does not help, marked.
   *
   * @throws IOException if the root cannot be read, or what {@code store} throws
   */
  public synchronized CapturedTree capture(Path root, PackStore store)
      throws IOException, InterruptedException {
    return capture.capture(root, store);
  }

  /**
   * Everything that the tree holds, for a merge.
   *
   * @throws IOException if the root is missing, no directory, or cannot be read
   */
  public synchronized TreeListing list(Path root) throws IOException, InterruptedException {
    return TreeListingBuilder.of(capture.read(root));
  }

  /**
   * Puts a stored tree in the target's place; see {@link TreeRestorer#restore}. The next capture of
   * the target costs what has changed since.
   *
   * @throws SnapshotException if the snapshot is hostile, damaged or too large; the target is as
   *     before
   * @throws IOException if reading or writing fails; the target is as before
   */
  public synchronized RestoredTree restore(
      Snapshot snapshot, PackSource source, Path target, RestoreOptions options)
      throws IOException, InterruptedException {
    capture.forgetAll();
    RestoredTree restored = TreeRestorer.restore(snapshot, source, target, options);
    capture.begin(restored.state(), snapshot, restored.chunks(), restored.composites());
    return restored;
  }

  /** The store no longer has what was put: the next capture puts everything once more. */
  public synchronized void forgetPacks() {
    capture.forgetPacks();
  }
}
