/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Collects what contributors add to a manifest. Not thread-safe. */
public final class ManifestDraft {
  private final CheckpointTrigger trigger;
  private final Path workspace;
  private final ObjectNode sessionState = JsonNodeFactory.instance.objectNode();
  private final Map<String, String> environment = new TreeMap<>();
  private Manifest.@Nullable Git git;
  private List<String> uncommittedFiles = List.of();

  ManifestDraft(CheckpointTrigger trigger, Path workspace) {
    this.trigger = trigger;
    this.workspace = workspace;
  }

  public CheckpointTrigger trigger() {
    return trigger;
  }

  /** The directory whose files are captured. */
  public Path workspace() {
    return workspace;
  }

  /**
   * @param uncommitted paths relative to the repository's root
   */
  public void git(Manifest.Git state, List<String> uncommitted) {
    git = state;
    uncommittedFiles = List.copyOf(uncommitted);
  }

  public void environment(String name, String value) {
    environment.put(name, value);
  }

  /** Adds a slice of the session. */
  public void session(String name, JsonNode slice) {
    sessionState.set(name, slice);
  }

  Manifest.@Nullable Git git() {
    return git;
  }

  List<String> uncommittedFiles() {
    return uncommittedFiles;
  }

  Map<String, String> environment() {
    return environment;
  }

  ObjectNode sessionState() {
    return sessionState;
  }
}
