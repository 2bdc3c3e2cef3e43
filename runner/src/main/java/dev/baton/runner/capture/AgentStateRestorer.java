/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.protocol.trace.Cut;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.SnapshotException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Restores the state of an agent from the checkpoint of a boundary. */
record AgentStateRestorer(RunnerStoreClient store, StoreCaller holder, Duration patience) {
  /**
   * @return where the agent saw the workspace then; empty where unknown
   * @throws DamagedCheckpointException when it is gone or damaged, or the checkpoint has none
   * @throws StoreException when its packs cannot be fetched within the patience
   */
  Optional<Path> restore(Cut boundary, AgentStateTree state)
      throws StoreException, IOException, InterruptedException {
    String checkpoint = boundary.checkpoint();
    if (checkpoint == null) {
      throw new DamagedCheckpointException(boundary, "it has no checkpoint");
    }
    CheckpointPackSource packs =
        CheckpointPackSource.openCut(store, holder, boundary, checkpoint, patience);
    Optional<Snapshot> snapshot = packs.agent();
    if (snapshot.isEmpty()) {
      throw new DamagedCheckpointException(
          boundary, "checkpoint " + checkpoint + " has no agent state");
    }
    try {
      state.restore(snapshot.get(), packs);
      return packs.seenAt();
    } catch (WrappedStoreException e) {
      StoreException failure = e.failure();
      if (packs.isDamaged(failure)) {
        throw new DamagedCheckpointException(
            boundary, String.valueOf(failure.getMessage()), failure);
      }
      throw failure;
    } catch (SnapshotException e) {
      throw new DamagedCheckpointException(
          boundary, "agent state of checkpoint %s: %s".formatted(checkpoint, e.getMessage()), e);
    }
  }
}
