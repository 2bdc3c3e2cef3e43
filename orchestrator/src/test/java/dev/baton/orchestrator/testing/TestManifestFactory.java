/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import java.time.Instant;
import java.util.List;

/** Creates manifests of checkpoints with an empty workspace. */
public final class TestManifestFactory {
  private TestManifestFactory() {}

  public static Manifest create(String project, String id, String run) {
    return new Manifest(
        Manifest.VERSION,
        id,
        run,
        Instant.EPOCH,
        CheckpointTrigger.IMPORT,
        new Manifest.Run(project, "", null, 1, null, null),
        Manifest.Conversation.NONE,
        new Manifest.Workspace(
            Manifest.Workspace.PATH,
            0,
            0,
            List.of(),
            "sha256:" + "ab".repeat(32),
            Manifest.Workspace.TREE,
            0,
            List.of(),
            List.of(),
            0),
        null,
        Manifest.Metrics.NONE,
        null,
        null,
        null,
        null,
        null);
  }
}
