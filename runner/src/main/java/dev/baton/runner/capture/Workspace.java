/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.protocol.grpc.ObjectKind;
import dev.baton.protocol.trace.Cut;
import dev.baton.snapshot.Capture;
import dev.baton.snapshot.Excludes;
import dev.baton.snapshot.Limits;
import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.StatCache;
import dev.baton.snapshot.TreeArchive;
import dev.baton.snapshot.TreeCopy;
import dev.baton.snapshot.TreeListing;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The files of one line of steps: the run's workspace, or a branch's copy of it. Knows its newest
 * cut and can go back to it. For one thread at a time.
 *
 * <p>What {@link Excludes#defaults} names is in no cut, so it is in no copy either: a line never
 * sees files that it would not see again after a failover.
 */
public final class Workspace {
  private static final Logger LOG = Logger.getLogger(Workspace.class);
  private static final String FORMAT = "tar.zst";

  /** Restoring is in nobody's way but the run's own: it may wait long for the object store. */
  private static final Duration RESTORE_PATIENCE = Duration.ofMinutes(10);

  private final Path root;
  private final @Nullable Workspace parent;
  private final StoreClient store;
  private final Lease holder;
  private final Duration patience;
  private final TreeArchive archive = new TreeArchive(Excludes.defaults(), new StatCache());
  private @Nullable Cut cut;
  private boolean dirty;
  private boolean ahead;

  /** The main line's, which begins empty. */
  public static Workspace main(Path root, StoreClient store, Lease holder, Duration patience) {
    return new Workspace(root, null, store, holder, patience);
  }

  /** A branch's, which begins as a copy of this one. */
  public Workspace branch(Path branchRoot) {
    return new Workspace(branchRoot, this, store, holder, patience);
  }

  private Workspace(
      Path root, @Nullable Workspace parent, StoreClient store, Lease holder, Duration patience) {
    this.root = root;
    this.parent = parent;
    this.store = store;
    this.holder = holder;
    this.patience = patience;
  }

  public Path root() {
    return root;
  }

  /** The newest cut; empty when the line still has what it began with. */
  public Optional<Cut> cut() {
    return Optional.ofNullable(cut);
  }

  public TreeListing list() throws IOException {
    return archive.list(root);
  }

  /** Makes the files what they were before the line's first step. */
  public void begin() throws IOException {
    Trees.discard(root);
    if (parent == null) {
      Files.createDirectories(root);
    } else {
      TreeCopy.copy(parent.root, root, Excludes.defaults());
      // Files that no cut has are in the parent alone: going back means to copy it again.
      cut = parent.ahead ? null : parent.cut;
    }
    dirty = false;
  }

  /** Takes back what a step did that began to change files and did not end. */
  public void goBack() throws StoreException, IOException, InterruptedException {
    if (!dirty || ahead) {
      return;
    }
    Cut newest = cut;
    if (newest == null) {
      begin();
    } else if (isChanged()) {
      restore(newest);
    }
    dirty = false;
  }

  /**
   * Begins with, or goes back to, a cut. Costs nothing when the files are that cut already.
   *
   * @throws StoreException when the object cannot be had within ten minutes
   * @throws IOException when it cannot be unpacked
   */
  public void restore(Cut from) throws StoreException, IOException, InterruptedException {
    if (from.equals(cut) && !dirty && !ahead) {
      return;
    }
    Trees.discard(root);
    Attempts.until(RESTORE_PATIENCE, () -> fetch(from));
    cut = from;
    dirty = false;
    ahead = false;
  }

  /** A step may change files from now on. */
  public void touch() {
    dirty = true;
  }

  /** The newest files were not cut: going back would lose what ended steps did. */
  public void goAhead() {
    ahead = true;
    dirty = false;
  }

  /** Whether the newest files are in no cut: they are on this host alone. */
  public boolean isAhead() {
    return ahead;
  }

  /**
   * Cuts: the object is durable when this returns. An unchanged tree costs no upload.
   *
   * @return empty when the object store was away for longer than the patience
   * @throws IOException when the tree cannot be read
   */
  public Optional<Cut> capture() throws IOException, InterruptedException {
    TreeListing now = archive.list(root);
    String digest = now.digest();
    Cut newest = cut;
    if (newest != null && newest.digest().equals(digest)) {
      Cut same = new Cut(digest, FORMAT, newest.treeBytes(), 0, newest.fileCount());
      return Optional.of(settle(same));
    }
    Path file = Files.createTempFile(root.getParent(), ".cut-", "." + FORMAT);
    try {
      Capture capture = archive.capture(root, now, file);
      long sent = Attempts.until(patience, () -> upload(capture, file));
      Cut made = new Cut(capture.digest(), FORMAT, capture.treeBytes(), sent, capture.fileCount());
      return Optional.of(settle(made));
    } catch (StoreException e) {
      LOG.warnf("run %s goes on without a cut: %s", holder.run(), e.getMessage());
      return Optional.empty();
    } finally {
      Files.deleteIfExists(file);
    }
  }

  /** Whether the files differ from the newest cut. */
  public boolean isChanged() throws IOException {
    Cut newest = cut;
    return newest == null || !newest.digest().equals(archive.digest(root));
  }

  private Cut settle(Cut made) {
    cut = made;
    dirty = false;
    ahead = false;
    return made;
  }

  private long upload(Capture capture, Path file) throws StoreException, InterruptedException {
    try {
      return store.upload(
          holder, ObjectKind.OBJECT_KIND_WORKSPACE, capture.digest(), file, capture.storedBytes());
    } catch (IOException e) {
      throw new StoreException("cut " + capture.digest() + ": " + e.getMessage(), true);
    }
  }

  private String fetch(Cut from) throws StoreException, InterruptedException {
    String url = store.locate(holder, ObjectKind.OBJECT_KIND_WORKSPACE, from.digest());
    try (InputStream in = ObjectTransfer.get(url)) {
      archive.restore(in, root, from.digest(), Limits.defaults());
      return from.digest();
    } catch (IOException e) {
      // A transfer that broke off looks like a damaged archive.
      boolean temporary =
          !(e instanceof SnapshotException) || e instanceof SnapshotException.Corrupt;
      throw new StoreException("cut " + from.digest() + ": " + e.getMessage(), temporary);
    }
  }
}
