/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.checkpoint;

import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.trace.AgentTurn;
import dev.baton.snapshot.CapturedTree;
import java.util.List;
import java.util.Map;

/**
 * Describes an agent in a manifest.
 *
 * @param metrics without the number of changed files
 * @param contributors parts of the state that can fail on their own, by name
 */
public record AgentDescription(
    Manifest.Agent state,
    Manifest.Conversation conversation,
    Manifest.Metrics metrics,
    Map<String, Manifest.Contribution> contributors) {
  public AgentDescription {
    contributors = Map.copyOf(contributors);
  }

  /** Describes the captured files of an agent. */
  public static Manifest.Agent state(
      AgentTurn turn, List<Manifest.BackgroundProcess> processes, CapturedTree captured) {
    return new Manifest.Agent(
        turn.agent(),
        turn.session(),
        turn.boundary(),
        captured.snapshot().root().toString(),
        Manifest.Workspace.TREE,
        captured.snapshot().treeBytes(),
        captured.snapshot().fileCount(),
        captured.snapshot().packs().stream().map(ManifestBuilder::pack).toList(),
        processes.isEmpty() ? null : processes);
  }
}
