/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import dev.baton.protocol.state.RunState;
import dev.baton.protocol.state.StepPath;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.capture.RestorableState;
import dev.baton.runner.capture.RunnerStoreClient;
import dev.baton.runner.capture.StoreCaller;
import dev.baton.runner.capture.StoreException;
import dev.baton.runner.capture.Workspace;
import dev.baton.runner.config.RunnerConfig;
import dev.baton.runner.config.RunnerConfig.Carried;
import dev.baton.runner.engine.RunFolder;
import dev.baton.runner.engine.RunSnapshotSource;
import dev.baton.runner.process.WorkspaceMount;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the snapshot of a replacement runner's run and restores the files of its newest cut while
 * the rest of the runner still starts, before it is attached. Snapshots of other runs are fetched
 * on demand. Thread-safe.
 */
final class SnapshotPrefetch implements RunSnapshotSource {
  private static final Logger LOG = Logger.getLogger(SnapshotPrefetch.class);
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final RunnerConfig config;
  private final RunnerStoreClient store;
  private final WorkspaceMount fixed;
  private final @Nullable Carried early;
  private final FutureTask<RunState> snapshot = new FutureTask<>(this::ask);
  private final FutureTask<@Nullable Workspace> files = new FutureTask<>(this::restore);

  SnapshotPrefetch(RunnerConfig config, RunnerStoreClient store, WorkspaceMount fixed) {
    this.fixed = fixed;
    this.config = config;
    this.store = store;
    early = config.carries().filter(carried -> carried.epoch() > 1).orElse(null);
    if (early != null) {
      Thread.ofVirtual()
          .name("early-start")
          .start(
              () -> {
                snapshot.run();
                files.run();
              });
    }
  }

  @Override
  public RunState get(String run, int epoch, String lease)
      throws StoreException, InterruptedException {
    if (!isEarly(run, epoch)) {
      return store.snapshot(run, epoch, lease, PATIENCE);
    }
    try {
      return snapshot.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof StoreException cause) {
        throw cause;
      }
      throw new IllegalStateException("the snapshot cannot be read", e.getCause());
    }
  }

  @Override
  public Workspace workspace(StoreCaller holder) throws InterruptedException {
    if (isEarly(holder.run(), holder.epoch())) {
      try {
        Workspace restored = files.get();
        if (restored != null) {
          return restored;
        }
      } catch (ExecutionException e) {
        LOG.warnf(
            "run %s: early restore of its files failed, restoring again: %s",
            holder.run(), e.getCause());
      }
    }
    return unrestored(holder);
  }

  @Override
  public Optional<RestorableState> getWithout(
      String run, int epoch, String lease, Set<String> damaged)
      throws StoreException, InterruptedException {
    return store.snapshotWithout(run, epoch, lease, damaged, PATIENCE);
  }

  @Override
  public Workspace unrestored(StoreCaller holder) {
    return Workspace.main(
        RunFolder.of(config.data(), holder.run()).workspace(),
        store,
        holder,
        config.checkpointPatience(),
        fixed);
  }

  private boolean isEarly(String run, int epoch) {
    return early != null && early.run().equals(run) && early.epoch() == epoch;
  }

  private Carried early() {
    if (early == null) {
      throw new IllegalStateException("this runner was started without a run");
    }
    return early;
  }

  private RunState ask() throws StoreException, InterruptedException {
    return store.snapshot(early().run(), early().epoch(), early().lease(), PATIENCE);
  }

  /** Returns null if the run has no files to restore. */
  private @Nullable Workspace restore() throws StoreException, IOException, InterruptedException {
    RunState state;
    try {
      state = snapshot.get();
    } catch (ExecutionException e) {
      // get() reports the failure to its caller.
      return null;
    }
    Cut cut = state.branch(StepPath.MAIN).cut();
    TraceEvent.RunCreated created = state.created();
    Optional<Cut> inside = state.resumePoint(StepPath.MAIN);
    if ((cut == null && inside.isEmpty()) || created == null || state.head().isEnded()) {
      return null;
    }
    StoreCaller holder =
        new StoreCaller(early().run(), early().epoch(), created.project(), early().lease());
    Workspace workspace = unrestored(holder);
    if (inside.isPresent()) {
      workspace.resume(cut, inside.get());
    } else if (cut != null) {
      workspace.restore(cut);
    }
    return workspace;
  }
}
