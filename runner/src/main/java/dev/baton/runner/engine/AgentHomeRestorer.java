/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.agent.AgentDriver;
import dev.baton.agent.AgentFolders;
import dev.baton.agent.CheckedProgram;
import dev.baton.protocol.state.AgentRest;
import dev.baton.protocol.trace.Cut;
import dev.baton.runner.capture.AgentStateTree;
import dev.baton.runner.capture.DamagedCheckpointException;
import dev.baton.runner.capture.StoreException;
import dev.baton.runner.capture.Workspace;
import dev.baton.runner.process.AgentProcessLauncher;
import dev.baton.runner.steps.StepContext;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Restores the home of an agent for the next process of its step. */
record AgentHomeRestorer(
    StepContext context,
    Workspace workspace,
    AgentDriver driver,
    AgentFolders folders,
    CheckedProgram program,
    AgentProcessLauncher launcher) {
  /**
   * Restores the agent's home at the boundary whose files the workspace has, or empties it.
   *
   * @param boundary null for the files before the step
   * @return whether it was restored
   * @throws RunBrokenException when it is damaged: the run continues from an older boundary
   */
  boolean restore(AgentStateTree state, @Nullable Cut boundary)
      throws IOException, InterruptedException {
    if (boundary == null) {
      state.clear();
      return false;
    }
    try {
      Path oldWorkspace = workspace.restoreAgent(boundary, state).orElse(folders.workspace());
      relocate(oldWorkspace);
      return true;
    } catch (StoreException e) {
      throw new RunBrokenException(
          "the agent of step '" + context.step() + "' cannot be restored", e);
    }
  }

  /**
   * Restores the agent's home as an earlier step has left it.
   *
   * @throws DamagedCheckpointException when that is gone or damaged
   * @throws RunBrokenException when it cannot be fetched: a later attempt may succeed
   */
  void restore(AgentStateTree state, AgentRest rest)
      throws DamagedCheckpointException, IOException, InterruptedException {
    try {
      Path oldWorkspace = workspace.restoreAgent(rest.cut(), state).orElse(folders.workspace());
      relocate(oldWorkspace);
    } catch (DamagedCheckpointException e) {
      state.clear();
      throw e;
    } catch (StoreException e) {
      throw new RunBrokenException(
          "the conversation that step '" + context.step() + "' continues cannot be restored", e);
    }
  }

  /** Moves the state; a damaged one is left, since the start of the agent refuses its session. */
  private void relocate(Path oldWorkspace) throws InterruptedException {
    try {
      driver.relocate(folders, oldWorkspace, program, launcher);
    } catch (IOException e) {
      context
          .log()
          .get()
          .note("the agent's state cannot be moved to this workspace: " + e.getMessage());
    }
  }
}
