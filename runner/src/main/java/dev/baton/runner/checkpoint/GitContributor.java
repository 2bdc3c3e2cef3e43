/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.checkpoint;

import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.runner.process.ProbeProcess;
import dev.baton.runner.process.WorkspaceMount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Records the state of the workspace's repository as reported by {@code git status}. Not at the end
 * of every step, since git would have to check every file again.
 */
final class GitContributor implements CheckpointContributor {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** At shutdown, the sender of SIGTERM waits only some seconds for all remaining work. */
  private static final Duration SHUTDOWN_PATIENCE = Duration.ofSeconds(2);

  /** Disables the hooks and file watchers that the repository's own settings name. */
  private static final List<String> STATUS =
      List.of(
          "git",
          "-c",
          "core.fsmonitor=false",
          "-c",
          "core.hooksPath=/dev/null",
          "-c",
          "core.untrackedCache=false",
          "status",
          "--porcelain=v2",
          "--branch",
          "--show-stash",
          "--no-renames",
          "-z");

  private final Map<String, String> environment;
  private final WorkspaceMount fixed;

  /**
   * @param environment what steps see: the repository's filters may run and must not see more
   * @param fixed where programs see workspaces
   */
  GitContributor(Map<String, String> environment, WorkspaceMount fixed) {
    this.fixed = fixed;
    this.environment = new TreeMap<>(environment);
    // Reads only: takes no locks, fetches nothing and prompts for nothing.
    this.environment.put("GIT_OPTIONAL_LOCKS", "0");
    this.environment.put("GIT_NO_LAZY_FETCH", "1");
    this.environment.put("GIT_TERMINAL_PROMPT", "0");
    this.environment.put("LC_ALL", "C.UTF-8");
    // Use the repository in the workspace, not one in which the runner was started.
    List.of("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY")
        .forEach(this.environment::remove);
  }

  @Override
  public String name() {
    return "git";
  }

  @Override
  public void contribute(ManifestDraft draft) throws IOException, InterruptedException {
    Path workspace = draft.workspace();
    if (draft.trigger() == CheckpointTrigger.STEP
        || !Files.exists(workspace.resolve(".git"), LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    GitStatus status =
        new ProbeProcess(STATUS, workspace, environment, fixed)
            .run(
                draft.trigger() == CheckpointTrigger.SHUTDOWN ? SHUTDOWN_PATIENCE : PATIENCE,
                GitStatus::read);
    draft.git(
        new Manifest.Git(status.branch(), status.head(), status.stash(), status.changes() > 0),
        status.files());
  }
}
