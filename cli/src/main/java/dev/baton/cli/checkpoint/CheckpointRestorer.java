/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.snapshot.restore.RestoreOptions;
import dev.baton.snapshot.restore.RestoredTree;
import dev.baton.snapshot.restore.TreeRestorer;
import java.io.IOException;
import java.nio.file.Path;

/** Restores a checkpoint's files for commands that need them for another purpose. */
public final class CheckpointRestorer {
  private CheckpointRestorer() {}

  /**
   * Replaces the target with the checkpoint's files.
   *
   * @param id of the checkpoint, all 26 characters
   */
  public static RestoredTree restore(OrchestratorRestClient client, String id, Path target)
      throws IOException, InterruptedException {
    CheckpointDownload opened = CheckpointDownload.open(client, CheckpointRef.parse(id, null));
    return TreeRestorer.restore(
        opened.snapshot(), opened.packs(client), target, RestoreOptions.defaults());
  }
}
