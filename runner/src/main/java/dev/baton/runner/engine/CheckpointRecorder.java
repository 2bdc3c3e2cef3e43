/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.capture.AgentCapture;
import dev.baton.runner.capture.CaptureResult;
import dev.baton.runner.capture.Workspace;
import org.jspecify.annotations.Nullable;

/** Creates a checkpoint and records it in the trace, also when it failed. */
final class CheckpointRecorder {
  private CheckpointRecorder() {}

  /**
   * @param step its path; null for the whole run
   * @param visit of the step; null if the step is null
   * @param evenIfUnchanged since the newest checkpoint
   */
  static CaptureResult make(
      RunExecutionContext run,
      Workspace workspace,
      CheckpointTrigger trigger,
      @Nullable String step,
      @Nullable Integer visit,
      boolean evenIfUnchanged)
      throws InterruptedException {
    return make(run, workspace, RunId.next(), trigger, step, visit, evenIfUnchanged, null);
  }

  /**
   * Creates a requested checkpoint of the whole run.
   *
   * @param agent what there is of the agent of the main line; null for nothing
   */
  static CaptureResult makeRequested(
      RunExecutionContext run,
      Workspace workspace,
      String id,
      CheckpointTrigger trigger,
      @Nullable AgentCapture agent)
      throws InterruptedException {
    return make(run, workspace, id, trigger, null, null, true, agent);
  }

  private static CaptureResult make(
      RunExecutionContext run,
      Workspace workspace,
      String id,
      CheckpointTrigger trigger,
      @Nullable String step,
      @Nullable Integer visit,
      boolean evenIfUnchanged,
      @Nullable AgentCapture agent)
      throws InterruptedException {
    CaptureResult saved =
        workspace.capture(
            id,
            run.checkpoints().describe(trigger, step, visit),
            evenIfUnchanged,
            agent,
            (cut, attempt) ->
                run.append(
                    new TraceEvent.CheckpointSaved(
                        id, step, trigger.word(), cut, null, null, attempt, null)));
    if (saved instanceof CaptureResult.Failed(String reason)) {
      run.append(new TraceEvent.CheckpointSaved(id, step, trigger.word(), null, reason, null));
    }
    return saved;
  }

  /**
   * Creates a checkpoint at a boundary between two turns of an agent, whose answer waits for it.
   * When this returns it is on the log.
   */
  static CaptureResult makeTurn(
      RunExecutionContext run, Workspace workspace, String step, int visit, AgentCapture agent)
      throws InterruptedException {
    String id = RunId.next();
    return workspace.capture(
        id,
        run.checkpoints().describeTurn(step, visit),
        true,
        agent,
        (cut, attempt) ->
            run.append(
                new TraceEvent.CheckpointSaved(
                    id,
                    step,
                    CheckpointTrigger.TURN.word(),
                    cut,
                    null,
                    null,
                    attempt,
                    agent.turn())));
  }
}
