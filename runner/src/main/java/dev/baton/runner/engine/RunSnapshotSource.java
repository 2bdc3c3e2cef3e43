/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.state.RunState;
import dev.baton.runner.capture.StoreCaller;
import dev.baton.runner.capture.StoreException;
import dev.baton.runner.capture.Workspace;

/** Where a run's state and files as of an epoch come from. */
public interface RunSnapshotSource {
  /**
   * @throws StoreException when it cannot be had within the patience of whoever provides it
   */
  RunState get(String run, int epoch, String lease) throws StoreException, InterruptedException;

  /** The main line's files; it may have been restored to the newest cut of that state already. */
  Workspace workspace(StoreCaller holder) throws InterruptedException;
}
