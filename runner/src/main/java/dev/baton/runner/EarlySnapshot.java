/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import dev.baton.protocol.state.RunState;
import dev.baton.runner.capture.StoreClient;
import dev.baton.runner.capture.StoreException;
import dev.baton.runner.config.RunnerConfig.Carried;
import dev.baton.runner.engine.Snapshots;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Asks for the snapshot of a replacement's run while it still attaches; asks for others when they
 * are wanted. Thread-safe.
 */
final class EarlySnapshot implements Snapshots {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final StoreClient store;
  private final @Nullable Carried early;
  private final @Nullable FutureTask<RunState> snapshot;

  EarlySnapshot(StoreClient store, Optional<Carried> carries) {
    this.store = store;
    early = carries.filter(carried -> carried.epoch() > 1).orElse(null);
    if (early == null) {
      snapshot = null;
    } else {
      Carried carried = early;
      FutureTask<RunState> task =
          new FutureTask<>(
              () -> store.snapshot(carried.run(), carried.epoch(), carried.lease(), PATIENCE));
      Thread.ofVirtual().name("snapshot").start(task);
      snapshot = task;
    }
  }

  @Override
  public RunState get(String run, int epoch, String lease)
      throws StoreException, InterruptedException {
    if (snapshot == null || early == null || !early.run().equals(run) || early.epoch() != epoch) {
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
}
