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
import dev.baton.protocol.trace.StepAttempt;
import dev.baton.runner.checkpoint.AgentDescription;
import dev.baton.runner.checkpoint.ManifestBuilder;
import dev.baton.runner.process.WorkspaceMount;
import dev.baton.runner.secrets.SecretFileGuard;
import dev.baton.snapshot.CapturedTree;
import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.MergeResult;
import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.TreeCopier;
import dev.baton.snapshot.TreeListing;
import dev.baton.snapshot.TreeMerger;
import dev.baton.snapshot.TreeRelocator;
import dev.baton.snapshot.TreeSnapshotter;
import dev.baton.snapshot.UncapturedFileMover;
import dev.baton.snapshot.posix.RawName;
import dev.baton.snapshot.restore.RestoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Manages the files of one line of steps: the run's workspace, or a branch's copy of it. Can
 * restore its newest cut. For one thread at a time, except {@link #capture}: methods that read or
 * replace the files wait for a capture in progress, and an interrupt ends the wait.
 *
 * <p>Files that the workflow's {@link ExcludePolicy} names are in no cut, unless git tracks them. A
 * copy for a branch has them, and they stay in place when the newest cut is restored; after a
 * failover they are missing, and {@link #missing} names them.
 */
public final class Workspace {
  private static final Logger LOG = Logger.getLogger(Workspace.class);

  /** A restore delays only its own run, so it may wait long for the object store. */
  private static final Duration RESTORE_PATIENCE = Duration.ofMinutes(10);

  /** Damaged data stays damaged, unless the transfer damaged it. */
  private static final int RESTORE_ATTEMPTS = 3;

  private final Path root;
  private final @Nullable Workspace parent;
  private final RunnerStoreClient store;
  private final StoreCaller holder;
  private final Duration patience;
  private final PathListLogger paths;
  private final RunPackStore uploads;
  private final TreeSnapshotter tree = new TreeSnapshotter(ExcludePolicy.defaults());
  private ExcludePolicy excludes = ExcludePolicy.defaults();
  private final WorkspaceMount fixed;
  private SecretFileGuard guard = SecretFileGuard.NONE;

  /** Like {@link #leftOut}, for the newest capture; changes while {@link #files} is held. */
  private volatile List<String> captureLeftOut = List.of();

  /** Raw paths that the newest cut leaves out and that existed when it was created. */
  private List<String> leftOut = List.of();

  /** Paths that cuts leave out and a failover has lost; some may have been created again. */
  private List<String> lost = List.of();

  /** Not a monitor: a thread that waits for a monitor cannot be interrupted. */
  private final ReentrantLock files = new ReentrantLock();

  private volatile @Nullable Cut cut;

  /** The tree of the newest checkpoint with any trigger; changes while {@link #files} is held. */
  private volatile @Nullable String lastSaved;

  private boolean dirty;
  private boolean ahead;

  /** The cut inside a step whose files these are, until an attempt ends on them. */
  private @Nullable Cut resumed;

  /**
   * The attempt that writes the files, if a new epoch may continue it with a checkpoint of them.
   */
  private volatile @Nullable StepAttempt attempt;

  /** Whether that is so only with the checkpoints at an agent's boundaries. */
  private volatile boolean atBoundariesOnly;

  /** Records a checkpoint before the attempt that it is part of can end. */
  public interface CheckpointHandler {
    /**
     * @param attempt that a new epoch continues with the cut; null if none
     */
    void accept(Cut cut, @Nullable StepAttempt attempt) throws InterruptedException;
  }

  /** Returns the workspace of the main line, which starts empty. */
  public static Workspace main(
      Path root, RunnerStoreClient store, StoreCaller holder, Duration patience) {
    return main(root, store, holder, patience, WorkspaceMount.NONE);
  }

  /** Returns such a workspace; the processes of steps see the files at {@code fixed}. */
  public static Workspace main(
      Path root,
      RunnerStoreClient store,
      StoreCaller holder,
      Duration patience,
      WorkspaceMount fixed) {
    return new Workspace(root, null, store, holder, patience, fixed);
  }

  /** Returns the workspace of a branch, which starts as a copy of this one. */
  public Workspace branch(Path branchRoot) {
    Workspace branch = new Workspace(branchRoot, this, store, holder, patience, fixed);
    branch.leaveOut(excludes, guard);
    return branch;
  }

  /** Excludes these files and those with secrets. Must be called before the first cut. */
  public void leaveOut(ExcludePolicy exclude, SecretFileGuard secrets) {
    guard = secrets;
    tree.scan(secrets.scanner());
    excludes = exclude;
    tree.leaveOut(exclude, fixed.seen(root));
  }

  /**
   * Returns the paths, relative to the root, that cuts leave out and that are missing since the
   * files were restored on this machine.
   */
  public List<String> missing() {
    return lost.stream()
        .filter(path -> !Files.exists(root.resolve(path), LinkOption.NOFOLLOW_LINKS))
        .toList();
  }

  private Workspace(
      Path root,
      @Nullable Workspace parent,
      RunnerStoreClient store,
      StoreCaller holder,
      Duration patience,
      WorkspaceMount fixed) {
    this.root = root;
    this.fixed = fixed;
    this.parent = parent;
    this.store = store;
    this.holder = holder;
    this.patience = patience;
    this.paths = new PathListLogger(holder.run());
    this.uploads = new RunPackStore(store, holder, patience);
  }

  public Path root() {
    return root;
  }

  /** Returns the newest cut; empty if the line still has the files it started with. */
  public Optional<Cut> cut() {
    return Optional.ofNullable(cut);
  }

  /**
   * Merges the changes of branches, each made in its copy of these files. Changes nothing on a
   * conflict.
   *
   * @param branches by their names; no process writes to them any more
   * @throws IOException when files cannot be read or written; then these may be half merged
   */
  public MergeResult merge(Map<String, Workspace> branches)
      throws IOException, InterruptedException {
    List<TreeMerger.Branch> trees = new ArrayList<>();
    for (Map.Entry<String, Workspace> branch : branches.entrySet()) {
      Workspace copy = branch.getValue();
      // Merged files become files of this line, so the absolute paths in them must lead here.
      copy.relocate(copy.fixed.seen(copy.root), fixed.seen(root));
      trees.add(new TreeMerger.Branch(branch.getKey(), copy.root, copy.list()));
    }
    files.lockInterruptibly();
    try {
      MergeResult result = TreeMerger.merge(tree.list(root), trees, root);
      if (result instanceof MergeResult.Merged merged) {
        List<String> lost = merged.degraded();
        paths.warn("owners or attributes could not be set in " + root, lost.size(), lost.stream());
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

  /** Resets the files to their state before the line's first step. */
  public void begin() throws IOException, InterruptedException {
    files.lockInterruptibly();
    try {
      TreeDiscarder.discard(root);
      if (parent == null) {
        Files.createDirectories(root);
      } else {
        paths.warnSkipped(parent.root, "the copy", TreeCopier.copy(parent.root, root));
        relocate(fixed.seen(parent.root), fixed.seen(root));
        // Files that are in no cut exist only in the parent: going back means to copy it again.
        Cut copied = parent.ahead ? null : parent.cut;
        cut = copied;
        lastSaved = copied == null ? null : copied.digest();
        leftOut = parent.leftOut;
        lost = parent.lost;
      }
    } finally {
      files.unlock();
    }
    dirty = false;
    resumed = null;
    attempt = null;
  }

  /** Undoes the changes of a step that has started to change files and has not ended. */
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
    // Else a checkpoint with the same files as one of the attempt before would not be created.
    lastSaved = newest == null ? lastSaved : newest.digest();
    dirty = false;
    resumed = null;
    attempt = null;
  }

  /**
   * Restores a cut inside a step that was in progress. {@link #goBack} then restores the files
   * before the step. Costs nothing if the files are already those of the cut.
   *
   * @param before the cut before the step; null for the files that the line starts with
   * @throws DamagedCheckpointException as {@link #restore}, which also describes the others
   */
  public void resume(@Nullable Cut before, Cut inside)
      throws StoreException, IOException, InterruptedException {
    if (isResumedAt(inside)) {
      return;
    }
    if (before == null) {
      begin();
    }
    Cut start = before == null ? cut : before;
    restore(inside);
    cut = start;
    leftOut = List.of();
    dirty = true;
    resumed = inside;
  }

  /** Whether {@link #resume} has restored this cut and no attempt has ended since. */
  public boolean isResumedAt(Cut inside) {
    return inside.equals(resumed);
  }

  /**
   * Restores a cut. Costs nothing if the files are already those of the cut.
   *
   * @throws DamagedCheckpointException when it is gone or damaged, so that no later attempt can
   *     succeed
   * @throws StoreException when its packs cannot be fetched within ten minutes
   * @throws IOException when it cannot be written
   */
  public void restore(Cut from) throws StoreException, IOException, InterruptedException {
    Cut newest = cut;
    // Null first: a replacement has no cut yet, and the first comparison of two records is slow.
    if (newest != null && from.equals(newest) && !dirty && !ahead) {
      return;
    }
    String checkpoint = from.checkpoint();
    if (checkpoint == null) {
      throw new DamagedCheckpointException(
          from, "it has the format '%s', which cannot be restored".formatted(from.format()));
    }
    files.lockInterruptibly();
    try {
      // Only this process can relate the excluded files that are there now to that cut.
      List<String> kept = from.equals(newest) ? leftOut : List.of();
      try (UncapturedFileMover keeping =
          UncapturedFileMover.take(root, kept, TreeDiscarder.keptBeside(root))) {
        TreeDiscarder.discard(root);
        fetch(checkpoint, from);
        List<String> placed = keeping.putInto(root);
        lost = lost(from, placed);
        leftOut = placed;
        TreeDiscarder.discard(keeping.folder());
      }
      cut = from;
      lastSaved = from.digest();
    } finally {
      files.unlock();
    }
    dirty = false;
    ahead = false;
    resumed = null;
    attempt = null;
  }

  /** Rewrites absolute paths in these files to where the files are now. */
  private void relocate(Path before, Path now) throws IOException, InterruptedException {
    if (before.equals(now)) {
      return;
    }
    TreeRelocator.Result result = new TreeRelocator(before, now).apply(root);
    if (!result.rewritten().isEmpty()) {
      LOG.infof(
          "run %s: %d files and links of %s rewritten from %s to %s",
          holder.run(), result.rewritten().size(), root, before, now);
    }
    paths.warn("paths still lead to " + before, result.failed().size(), result.failed().stream());
  }

  private List<String> lost(Cut from, List<String> placed) {
    Set<String> all = new LinkedHashSet<>(from.leftOut());
    all.addAll(lost);
    placed.forEach(path -> all.remove(RawName.display(path)));
    return List.copyOf(all);
  }

  private void fetch(String checkpoint, Cut from)
      throws StoreException, IOException, InterruptedException {
    CheckpointPackSource packs =
        CheckpointPackSource.openCut(store, holder, from, checkpoint, RESTORE_PATIENCE);
    if (!packs.snapshot().root().toString().equals(from.digest())) {
      throw new DamagedCheckpointException(
          from,
          "checkpoint %s has the tree %s, the cut is %s"
              .formatted(checkpoint, packs.snapshot().root(), from.digest()));
    }
    for (int attempt = 1; ; attempt++) {
      try {
        tree.restore(packs.snapshot(), packs, root, RestoreOptions.defaults());
        Path seen = fixed.seen(root);
        relocate(packs.seenAt().orElse(seen), seen);
        return;
      } catch (WrappedStoreException e) {
        StoreException failure = e.failure();
        if (packs.isDamaged(failure)) {
          throw new DamagedCheckpointException(from, String.valueOf(failure.getMessage()), failure);
        }
        throw failure;
      } catch (SnapshotException e) {
        if (attempt == RESTORE_ATTEMPTS) {
          throw new DamagedCheckpointException(
              from, "checkpoint %s: %s".formatted(checkpoint, e.getMessage()), e);
        }
        LOG.warnf("run %s: checkpoint %s: %s", holder.run(), checkpoint, e.getMessage());
      }
    }
  }

  /**
   * Marks that a step may change files from now on.
   *
   * @param by the attempt that a new epoch continues with the newest checkpoint of these files;
   *     null if it starts with those before the step
   * @param boundariesOnly whether only with one that has the state of its agent
   */
  public void touch(@Nullable StepAttempt by, boolean boundariesOnly) {
    dirty = true;
    atBoundariesOnly = boundariesOnly;
    attempt = by;
  }

  /** Marks that the attempt has failed: when this returns, no checkpoint counts as one of it. */
  public void endAttempt() throws InterruptedException {
    files.lockInterruptibly();
    try {
      attempt = null;
      resumed = null;
    } finally {
      files.unlock();
    }
  }

  /** Whether a step may have changed files since the newest cut. */
  public boolean isTouched() {
    return dirty;
  }

  /** Marks that the newest files are in no cut: a restore would lose the changes of ended steps. */
  public void goAhead() {
    ahead = true;
    dirty = false;
    resumed = null;
    attempt = null;
  }

  /** Whether the newest files are in no cut, so that only this host has them. */
  public boolean isAhead() {
    return ahead;
  }

  /**
   * Cuts at the end of a step: all files are durable when this returns, and {@link #goBack}
   * restores this cut. A tree that has not changed costs no upload.
   *
   * @param agent whose state the cut's checkpoint has too; null for none
   * @return empty when it could not be stored within the timeout; the reason is logged
   */
  public Optional<Cut> cut(ManifestBuilder description, @Nullable AgentCapture agent)
      throws InterruptedException {
    Cut newest = cut;
    String known = newest == null || agent != null ? null : newest.digest();
    CaptureResult saved = save(RunId.next(), description, () -> known, agent);
    return switch (saved) {
      case CaptureResult.Failed failed -> Optional.empty();
      case CaptureResult.Made(Cut made) -> Optional.of(settle(made));
      case CaptureResult.Unchanged unchanged when newest != null ->
          Optional.of(
              settle(
                  new Cut(
                      newest.digest(),
                      newest.format(),
                      newest.treeBytes(),
                      0,
                      newest.fileCount(),
                      newest.checkpoint(),
                      newest.leftOut())));
      case CaptureResult.Unchanged impossible ->
          throw new IllegalStateException("unchanged files without an earlier cut");
    };
  }

  private Cut settle(Cut made) {
    cut = made;
    leftOut = captureLeftOut;
    dirty = false;
    ahead = false;
    resumed = null;
    attempt = null;
    return made;
  }

  /**
   * Creates a checkpoint of the files as they are, even while processes write to them. Steps
   * continue, and {@link #goBack} still restores the same cut as before.
   *
   * @param id the checkpoint's id
   * @param evenIfUnchanged since the newest checkpoint with any trigger
   * @param agent whose state the checkpoint has too, at rest like the files; null for none
   * @param recorder called with a checkpoint that was created
   */
  public CaptureResult capture(
      String id,
      ManifestBuilder description,
      boolean evenIfUnchanged,
      @Nullable AgentCapture agent,
      CheckpointHandler recorder)
      throws InterruptedException {
    files.lockInterruptibly();
    try {
      StepAttempt by = atBoundariesOnly && (agent == null || !agent.resumable()) ? null : attempt;
      CaptureResult saved = save(id, description, () -> evenIfUnchanged ? null : lastSaved, agent);
      if (saved instanceof CaptureResult.Made(Cut made)) {
        recorder.accept(made, by);
      }
      return saved;
    } finally {
      files.unlock();
    }
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
   * @param unless returns the digest of a tree that needs no checkpoint, once no other checkpoint
   *     is in progress
   */
  private CaptureResult save(
      String id,
      ManifestBuilder description,
      Supplier<@Nullable String> unless,
      @Nullable AgentCapture agent)
      throws InterruptedException {
    files.lockInterruptibly();
    try {
      try {
        return saveOnce(id, description, unless.get(), agent);
      } catch (WrappedStoreException e) {
        if (!e.failure().isPacksGone()) {
          throw e;
        }
        // The store no longer has packs of earlier cuts, so everything is stored again.
        tree.forgetPacks();
        if (agent != null) {
          agent.state().forgetPacks();
        }
        uploads.forget();
        return saveOnce(id, description, unless.get(), agent);
      }
    } catch (IOException | RuntimeException e) {
      // The run continues without the checkpoint; an unexpected error is logged with its stack
      // trace.
      LOG.warnf(
          e instanceof RuntimeException ? e : null,
          "run %s: %s checkpoint of %s failed; the run continues without it: %s",
          holder.run(),
          description.trigger().word(),
          root,
          e.getMessage());
      return new CaptureResult.Failed(
          e instanceof IOException && e.getMessage() != null ? e.getMessage() : e.toString());
    } finally {
      files.unlock();
    }
  }

  private CaptureResult saveOnce(
      String id, ManifestBuilder description, @Nullable String unless, @Nullable AgentCapture agent)
      throws IOException, InterruptedException {
    CapturedTree captured;
    AgentDescription state;
    try (AgentCaptureTask other = AgentCaptureTask.start(agent, uploads)) {
      captured = tree.capture(root, uploads);
      state = other.await();
    }
    paths.warnSkipped(root, "the cut", captured.skipped());
    captureLeftOut = guard.leftOut(captured);
    String digest = captured.snapshot().root().toString();
    if (digest.equals(unless)) {
      return new CaptureResult.Unchanged();
    }
    List<String> left = named(captureLeftOut);
    uploads.commit(description.manifest(id, root, fixed.seen(root), captured, left, state));
    lastSaved = digest;
    return new CaptureResult.Made(
        new Cut(
            digest,
            Manifest.Workspace.TREE,
            captured.snapshot().treeBytes(),
            captured.storedBytes(),
            captured.snapshot().fileCount(),
            id,
            left));
  }

  /** Restores an agent's state at a boundary, as {@link AgentStateRestorer#restore}. */
  public Optional<Path> restoreAgent(Cut boundary, AgentStateTree state)
      throws StoreException, IOException, InterruptedException {
    return new AgentStateRestorer(store, holder, RESTORE_PATIENCE).restore(boundary, state);
  }

  /** Returns what is not in a cut: paths left out of it, and paths that were already missing. */
  private List<String> named(List<String> found) {
    return Stream.concat(found.stream().map(RawName::display), missing().stream())
        .distinct()
        .sorted()
        .limit(Cut.MAX_LEFT_OUT)
        .toList();
  }
}
