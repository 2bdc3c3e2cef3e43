/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.checkpoint;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.runner.process.WorkspaceMount;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Creates manifest builders for the checkpoints of one run in one epoch. Thread-safe. */
public final class ManifestBuilderFactory {
  private final String run;
  private final Manifest.Run place;
  private final List<CheckpointContributor> contributors;

  /**
   * @param place without a step
   * @param environment names of variables to record, in which {@code *} matches any characters
   * @param variables that every step inherits
   * @param fixed where programs see workspaces
   * @param slices returns the session's slices by name, at the time of a checkpoint
   */
  public ManifestBuilderFactory(
      String run,
      Manifest.Run place,
      List<String> environment,
      Map<String, String> variables,
      WorkspaceMount fixed,
      Supplier<ObjectNode> slices) {
    this.run = run;
    this.place = place;
    contributors =
        List.of(
            new GitContributor(variables, fixed),
            new EnvironmentContributor(variables, environment),
            new SessionContributor(slices));
  }

  /**
   * @param step its path; null for the whole run
   * @param visit of the step; null if the step is null
   */
  public ManifestBuilder describe(
      CheckpointTrigger trigger, @Nullable String step, @Nullable Integer visit) {
    return new ManifestBuilder(
        run,
        new Manifest.Run(
            place.project(), place.workflow(), place.definitionHash(), place.epoch(), step, visit),
        trigger,
        contributors);
  }

  /** Describes a boundary between two turns of an agent: fast, since an answer waits for it. */
  public ManifestBuilder describeTurn(String step, int visit) {
    ManifestBuilder all = describe(CheckpointTrigger.TURN, step, visit);
    return new ManifestBuilder(
        all.run(),
        all.place(),
        all.trigger(),
        contributors.stream().filter(part -> !(part instanceof GitContributor)).toList());
  }
}
