/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.checkpoint;

import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.snapshot.CapturedTree;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.SkippedEntry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Builds the manifest of a checkpoint from the captured files and the parts of its contributors.
 * Thread-safe.
 *
 * @param run the run's id
 * @param trigger what triggered the checkpoint
 * @param contributors called in this order
 */
public record ManifestBuilder(
    String run,
    Manifest.Run place,
    CheckpointTrigger trigger,
    List<CheckpointContributor> contributors) {
  private static final Logger LOG = Logger.getLogger(ManifestBuilder.class);
  private static final int MOST_SKIPPED = 1_000;

  public ManifestBuilder {
    contributors = List.copyOf(contributors);
  }

  /**
   * Builds the manifest of the captured files. A contributor that fails is recorded with its error.
   *
   * @param id the checkpoint's id
   * @param workspace where the files are
   * @param seenAt where steps see them
   * @param leftOut paths that are not in the checkpoint
   */
  public byte[] manifest(
      String id, Path workspace, Path seenAt, CapturedTree captured, List<String> leftOut)
      throws InterruptedException {
    return manifest(id, workspace, seenAt, captured, leftOut, null);
  }

  /**
   * Builds the manifest as {@link #manifest(String, Path, Path, CapturedTree, List)}.
   *
   * @param agent the state of an agent at the same instant; null for none
   */
  public byte[] manifest(
      String id,
      Path workspace,
      Path seenAt,
      CapturedTree captured,
      List<String> leftOut,
      @Nullable AgentDescription agent)
      throws InterruptedException {
    ManifestDraft draft = new ManifestDraft(trigger, workspace);
    Map<String, Manifest.Contribution> outcomes = new LinkedHashMap<>();
    outcomes.put("workspace", Manifest.Contribution.OK);
    for (CheckpointContributor contributor : contributors) {
      outcomes.put(contributor.name(), ask(contributor, draft));
    }
    if (agent != null) {
      outcomes.putAll(agent.contributors());
    }
    return ManifestCodec.write(
        new Manifest(
            Manifest.VERSION,
            id,
            run,
            Instant.now(),
            trigger,
            place,
            agent == null ? Manifest.Conversation.NONE : agent.conversation(),
            files(captured, draft, seenAt, leftOut, agent),
            draft.git(),
            agent == null
                ? new Manifest.Metrics(0, List.of(), captured.changedFiles())
                : new Manifest.Metrics(
                    agent.metrics().costEstimateUsd(),
                    agent.metrics().toolsInvoked(),
                    captured.changedFiles()),
            draft.environment(),
            draft.sessionState().isEmpty() ? null : draft.sessionState(),
            outcomes,
            agent == null ? null : agent.state(),
            null,
            null));
  }

  private Manifest.Contribution ask(CheckpointContributor contributor, ManifestDraft draft)
      throws InterruptedException {
    try {
      contributor.contribute(draft);
      return Manifest.Contribution.OK;
    } catch (IOException | RuntimeException e) {
      LOG.warnf("run %s: checkpoint is created without '%s': %s", run, contributor.name(), e);
      return Manifest.Contribution.failed(e.getMessage() == null ? e.toString() : e.getMessage());
    }
  }

  private static Manifest.Workspace files(
      CapturedTree captured,
      ManifestDraft draft,
      Path seenAt,
      List<String> leftOut,
      @Nullable AgentDescription agent) {
    return new Manifest.Workspace(
        Manifest.Workspace.PATH,
        captured.snapshot().treeBytes(),
        captured.snapshot().fileCount(),
        draft.uncommittedFiles(),
        captured.snapshot().root().toString(),
        Manifest.Workspace.TREE,
        captured.storedBytes(),
        packs(captured, agent),
        captured.skipped().stream().limit(MOST_SKIPPED).map(ManifestBuilder::skipped).toList(),
        captured.skipped().size(),
        leftOut.isEmpty() ? null : leftOut,
        seenAt.toString());
  }

  /** The packs of both trees: the store keeps those that the workspace lists. */
  private static List<Manifest.Pack> packs(
      CapturedTree captured, @Nullable AgentDescription agent) {
    Set<Manifest.Pack> packs = new LinkedHashSet<>();
    captured.snapshot().packs().forEach(pack -> packs.add(pack(pack)));
    if (agent != null) {
      packs.addAll(agent.state().packs());
    }
    return List.copyOf(packs);
  }

  static Manifest.Pack pack(PackRef pack) {
    return new Manifest.Pack(pack.id().toString(), pack.size(), pack.indexBytes());
  }

  private static Manifest.Skipped skipped(SkippedEntry file) {
    return new Manifest.Skipped(
        file.path(), file.reason().name().toLowerCase(Locale.ROOT), file.detail());
  }
}
