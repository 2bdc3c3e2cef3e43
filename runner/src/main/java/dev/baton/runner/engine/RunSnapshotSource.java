/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.state.RunState;
import dev.baton.runner.capture.RestorableState;
import dev.baton.runner.capture.StoreCaller;
import dev.baton.runner.capture.StoreException;
import dev.baton.runner.capture.Workspace;
import java.util.Optional;
import java.util.Set;

/** Provides a run's state and files as of an epoch. */
public interface RunSnapshotSource {
  /**
   * @throws StoreException when the state cannot be fetched within the provider's timeout
   */
  RunState get(String run, int epoch, String lease) throws StoreException, InterruptedException;

  /**
   * Returns the latest earlier state that can be restored without these checkpoints; empty if there
   * is none.
   *
   * @param damaged ids of checkpoints, at least one
   * @throws StoreException when the state cannot be fetched within the provider's timeout
   */
  Optional<RestorableState> getWithout(String run, int epoch, String lease, Set<String> damaged)
      throws StoreException, InterruptedException;

  /** Returns the main line's files, of which nothing is restored yet. */
  Workspace unrestored(StoreCaller holder);

  /**
   * Returns the main line's files, which may already be restored to the newest cut of that state.
   */
  Workspace workspace(StoreCaller holder) throws InterruptedException;
}
