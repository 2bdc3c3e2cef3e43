/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.RunId;
import dev.baton.runner.checkpoint.Description;
import dev.baton.snapshot.Captured;
import dev.baton.snapshot.Excludes;
import dev.baton.snapshot.MergeResult;
import dev.baton.snapshot.Skipped;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.TrackedTree;
import dev.baton.snapshot.TreeCopy;
import dev.baton.snapshot.TreeListing;
import dev.baton.snapshot.TreeMerge;
import dev.baton.snapshot.restore.RestoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The files of one line of steps: the run's workspace, or a branch's copy of it. Knows its newest
 * cut and can go back to it. For one thread at a time, except {@link #capture}: whatever reads or
 * replaces the files waits for a capture under way, and an interrupt ends the wait.
 *
 * <p>What {@link Excludes#defaults} names is in no cut, so it is in no copy either: a line never
 * sees files that it would not see again after a failover.
 */
public final class Workspace {
  private static final Logger LOG = Logger.getLogger(Workspace.class);

  /** Restoring is in nobody's way but the run's own: it may wait long for the object store. */
  private static final Duration RESTORE_PATIENCE = Duration.ofMinutes(10);

  /** What is damaged stays so, unless it was the way here that damaged it. */
  private static final int RESTORE_ATTEMPTS = 3;

  private static final int TOLD = 5;

  private final Path root;
  private final @Nullable Workspace parent;
  private final StoreClient store;
  private final Lease holder;
  private final Duration patience;
  private final PackUploads uploads;
  private final TrackedTree tree = new TrackedTree(Excludes.defaults());

  /** Not a monitor: whoever waits for one cannot be interrupted. */
  private final ReentrantLock files = new ReentrantLock();

  private volatile @Nullable Cut cut;

  /**
   * The tree of the newest checkpoint, of whatever trigger; changes while {@link #files} is held.
   */
  private volatile @Nullable String lastSaved;

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
    this.uploads = new PackUploads(store, holder, patience);
  }

  public Path root() {
    return root;
  }

  /** The newest cut; empty when the line still has what it began with. */
  public Optional<Cut> cut() {
    return Optional.ofNullable(cut);
  }

  /**
   * Takes over what branches did, each in its copy of these files. Nothing is changed when they
   * disagree.
   *
   * @param branches by their names; nobody writes in them any more
   * @throws IOException when files cannot be read or written; then these may be half merged
   */
  public MergeResult merge(Map<String, Workspace> branches)
      throws IOException, InterruptedException {
    List<TreeMerge.Branch> trees = new ArrayList<>();
    for (Map.Entry<String, Workspace> branch : branches.entrySet()) {
      Workspace copy = branch.getValue();
      trees.add(new TreeMerge.Branch(branch.getKey(), copy.root, copy.list()));
    }
    files.lockInterruptibly();
    try {
      MergeResult result = TreeMerge.merge(tree.list(root), trees, root);
      if (result instanceof MergeResult.Merged merged) {
        List<String> lost = merged.degraded();
        tell("owners or attributes cannot be had in " + root, lost.size(), lost.stream());
      }
      return result;
    } finally {
      files.unlock();
    }
  }

  private TreeListing list() throws IOException, InterruptedException {
    files.lockInterruptibly();
    try {
      return tree.list(root);
    } finally {
      files.unlock();
    }
  }

  /** Makes the files what they were before the line's first step. */
  public void begin() throws IOException, InterruptedException {
    files.lockInterruptibly();
    try {
      Trees.discard(root);
      if (parent == null) {
        Files.createDirectories(root);
      } else {
        tellSkipped(parent.root, "the copy", TreeCopy.copy(parent.root, root, Excludes.defaults()));
        // Files that no cut has are in the parent alone: going back means to copy it again.
        Cut copied = parent.ahead ? null : parent.cut;
        cut = copied;
        lastSaved = copied == null ? null : copied.digest();
      }
    } finally {
      files.unlock();
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
   * @throws StoreException when its packs cannot be had within ten minutes
   * @throws IOException when it cannot be written
   */
  public void restore(Cut from) throws StoreException, IOException, InterruptedException {
    Cut newest = cut;
    // A replacement has none yet; the first comparison of two records is slow.
    if (newest != null && from.equals(newest) && !dirty && !ahead) {
      return;
    }
    String checkpoint = from.checkpoint();
    if (checkpoint == null) {
      throw new StoreException(
          "cut %s has the format '%s', which cannot be restored"
              .formatted(from.digest(), from.format()),
          false);
    }
    files.lockInterruptibly();
    try {
      Trees.discard(root);
      fetch(checkpoint, from);
      cut = from;
      lastSaved = from.digest();
    } finally {
      files.unlock();
    }
    dirty = false;
    ahead = false;
  }

  private void fetch(String checkpoint, Cut from)
      throws StoreException, IOException, InterruptedException {
    PackDownloads packs = PackDownloads.open(store, holder, checkpoint, RESTORE_PATIENCE);
    if (!packs.snapshot().root().toString().equals(from.digest())) {
      throw new StoreException(
          "checkpoint %s has the tree %s, the cut is %s"
              .formatted(checkpoint, packs.snapshot().root(), from.digest()),
          false);
    }
    for (int attempt = 1; ; attempt++) {
      try {
        tree.restore(packs.snapshot(), packs, root, RestoreOptions.defaults());
        return;
      } catch (StoreFailedException e) {
        throw e.failure();
      } catch (SnapshotException e) {
        if (attempt == RESTORE_ATTEMPTS) {
          throw new StoreException(
              "checkpoint %s: %s".formatted(checkpoint, e.getMessage()), false);
        }
        LOG.warnf("run %s: checkpoint %s: %s", holder.run(), checkpoint, e.getMessage());
      }
    }
  }

  /** A step may change files from now on. */
  public void touch() {
    dirty = true;
  }

  /** Whether a step may have changed files since the newest cut. */
  public boolean isTouched() {
    return dirty;
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
   * Cuts at the end of a step: everything is durable when this returns, and {@link #goBack} goes
   * back to it. A tree that has not changed costs no upload.
   *
   * @return empty when it could not be stored within the patience; the log says why
   */
  public Optional<Cut> cut(Description description) throws InterruptedException {
    Cut newest = cut;
    Saved saved = save(RunId.next(), description, () -> newest == null ? null : newest.digest());
    return switch (saved) {
      case Saved.Failed failed -> Optional.empty();
      case Saved.Made(Cut made) -> Optional.of(settle(made));
      case Saved.Unchanged unchanged when newest != null ->
          Optional.of(
              settle(
                  new Cut(
                      newest.digest(),
                      newest.format(),
                      newest.treeBytes(),
                      0,
                      newest.fileCount(),
                      newest.checkpoint())));
      case Saved.Unchanged impossible ->
          throw new IllegalStateException("what was never cut is not unchanged");
    };
  }

  private Cut settle(Cut made) {
    cut = made;
    dirty = false;
    ahead = false;
    return made;
  }

  /**
   * Makes a checkpoint of the files as they are, whoever writes them meanwhile. Steps go on, and go
   * back to what they went back to before.
   *
   * @param id the checkpoint's
   * @param evenIfUnchanged since the newest one, of whatever trigger
   */
  public Saved capture(String id, Description description, boolean evenIfUnchanged)
      throws InterruptedException {
    return save(id, description, () -> evenIfUnchanged ? null : lastSaved);
  }

  /** Whether the files differ from the newest cut. */
  public boolean isChanged() throws IOException, InterruptedException {
    Cut newest = cut;
    if (newest == null) {
      return true;
    }
    files.lockInterruptibly();
    try {
      return !newest.digest().equals(tree.digest(root).toString());
    } finally {
      files.unlock();
    }
  }

  /**
   * @param unless the digest of a tree that needs no checkpoint, once no other is being made
   */
  private Saved save(String id, Description description, Supplier<@Nullable String> unless)
      throws InterruptedException {
    files.lockInterruptibly();
    try {
      try {
        return saveOnce(id, description, unless.get());
      } catch (StoreFailedException e) {
        if (!e.failure().isPacksGone()) {
          throw e;
        }
        // The store no longer has what earlier cuts had stored: everything is stored again.
        tree.forgetPacks();
        uploads.forget();
        return saveOnce(id, description, unless.get());
      }
    } catch (IOException | RuntimeException e) {
      // Whatever goes wrong with a checkpoint, the run goes on; what nobody foresaw is told whole.
      LOG.warnf(
          e instanceof RuntimeException ? e : null,
          "run %s goes on without a %s checkpoint of %s: %s",
          holder.run(),
          description.trigger().word(),
          root,
          e.getMessage());
      return new Saved.Failed(
          e instanceof IOException && e.getMessage() != null ? e.getMessage() : e.toString());
    } finally {
      files.unlock();
    }
  }

  private Saved saveOnce(String id, Description description, @Nullable String unless)
      throws IOException, InterruptedException {
    Captured captured = tree.capture(root, uploads);
    tellSkipped(root, "the cut", captured.skipped());
    Snapshot snapshot = captured.snapshot();
    String digest = snapshot.root().toString();
    if (digest.equals(unless)) {
      return new Saved.Unchanged();
    }
    uploads.commit(description.manifest(id, root, captured));
    lastSaved = digest;
    return new Saved.Made(
        new Cut(
            digest,
            Manifest.Workspace.TREE,
            snapshot.treeBytes(),
            captured.storedBytes(),
            snapshot.fileCount(),
            id));
  }

  private void tellSkipped(Path of, String where, List<Skipped> skipped) {
    tell(
        "files of " + of + " are not in " + where + ", or not for certain",
        skipped.size(),
        skipped.stream()
            .map(file -> file.path() + " (" + file.reason() + ": " + file.detail() + ")"));
  }

  private void tell(String what, int count, Stream<String> each) {
    if (count > 0) {
      LOG.warnf(
          "run %s: %d %s: %s%s",
          holder.run(),
          count,
          what,
          each.limit(TOLD).collect(Collectors.joining(", ")),
          count > TOLD ? ", …" : "");
    }
  }
}
